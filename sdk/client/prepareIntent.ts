import type { Hex } from 'viem'
import { CairnError } from '../errors/cairnError.ts'
import { invalidArgument } from '../errors/invalidArgument.ts'
import { isUndecodable, withChainErrors } from '../errors/toCairnError.ts'
import { createIntentCall } from '../intent/createIntentCall.ts'
import { enclaveKey } from '../relayer/verifyEnclaveKey.ts'
import { sealCreationBlob } from '../seal/sealCreationBlob.ts'
import { checkIntentAgainstBridge } from './checkIntentAgainstBridge.ts'
import type { CairnChain, ClientContext } from './clientOptions.ts'
import { inRandomOrder } from './inRandomOrder.ts'
import type { IntentRequest } from './intentRequest.ts'
import { requireChain, requireWallet, type SendingWallet } from './requireWallet.ts'
import { type IntentChains, validateIntent } from './validateIntent.ts'

/** A validated intent and the call that creates it. */
export type PreparedIntent = {
  chains: IntentChains
  wallet: SendingWallet
  /** The sealed recipients: part of `data`, and of the creation's event. */
  blob: Hex
  /** Calldata for the bridge. */
  data: Hex
}

/**
 * Validates an intent and seals its recipients into its creation. Sends nothing to a chain.
 *
 * @param clock unix seconds to compare the deadline with: this machine's, unless the deadline was set by the chain's
 * @throws CairnError
 */
export async function prepareIntent(
  context: ClientContext,
  intent: IntentRequest,
  clock = Date.now() / 1_000,
): Promise<PreparedIntent> {
  const chains = validateIntent(intent, context.chains, clock)
  const wallet = requireWallet(context, chains.source)
  await withChainErrors(() => requireChain(wallet))
  const { auctionDuration } = await checkIntentAgainstBridge(intent, chains, clock)
  const publicKey = await readSealingKey(context, chains.source)
  const params = {
    tokenA: intent.tokenIn,
    tokenB: intent.tokenOut,
    amountA: intent.amountIn,
    expectedAmountB: intent.minAmountOut,
    reward: intent.reward,
    auctionDuration,
    destChainId: BigInt(chains.destination.chainId),
  }
  // The delivery shows their order. The same one each month would link the fresh Safes of each recipient.
  const recipients = inRandomOrder(intent.recipients)
  const blob = sealCreationBlob(publicKey, {
    sourceChainId: chains.source.chainId,
    bridge: chains.source.bridge,
    user: wallet.account.address,
    params,
    createdAt: Math.floor(Date.now() / 1_000),
    recipients: recipients.map(({ address }) => address),
    amounts: recipients.map(({ amount }) => amount),
    metadata: intent.metadata,
    viewers: intent.viewers,
  })
  return { chains, wallet, blob, data: createIntentCall(params, blob) }
}

/** The key to seal recipients to: if the chain's registry is configured, only one that it has. */
async function readSealingKey(
  { relayer }: Pick<ClientContext, 'relayer'>,
  { name, registry, publicClient: client }: CairnChain,
): Promise<Hex> {
  if (registry === undefined || client === undefined) return relayer.eciesPublicKey()
  return withChainErrors(() => enclaveKey(relayer, { client, registry })).catch(
    (error: unknown) => {
      // A registry's views never revert: there is another contract at this address, or none.
      const isRevert = error instanceof CairnError && error.code === 'CONTRACT_REVERTED'
      if (!isRevert && !isUndecodable(error)) throw error
      throw invalidArgument('chains', `the address of ${name}’s EnclaveKeyRegistry as its registry`)
    },
  )
}
