import { encodeFunctionData, type Hex, type TransactionReceipt } from 'viem'
import { bridgeIntentV2Abi } from '../../src/event/abi/bridgeIntentV2.ts'
import { CairnError } from '../errors/cairnError.ts'
import { intentPrivateMessage } from '../messages/intentPrivate.ts'
import type { PrivateDetails, RelayerIntent } from '../relayer/answers.ts'
import type { CairnChain, ClientContext } from './clientOptions.ts'
import { requireWallet } from './requireWallet.ts'
import { send } from './send.ts'
import { type WaitOptions, waitForIntent } from './waitForIntent.ts'

export type IntentStatus = RelayerIntent['status']

/** One intent to follow. The id alone recreates it: `client.intent(id)`. */
export type IntentHandle = {
  readonly id: bigint
  /** Null for a handle made from the id. */
  readonly createTxHash: Hex | null
  status(): Promise<IntentStatus>
  /**
   * Resolves once it has reached `until` (default `completed`), or was cancelled.
   *
   * @throws CairnError `INTENT_EXPIRED`, `EXECUTION_TIMEOUT`: the money comes back, see `refund`
   */
  wait(options?: WaitOptions): Promise<RelayerIntent>
  /** By the sender, before a winner has deposited: refunds at once. */
  cancel(): Promise<TransactionReceipt>
  /** For an expired or failed intent, by anyone: pays its sender back. */
  refund(): Promise<TransactionReceipt>
  /** Its public record. */
  record(): Promise<RelayerIntent>
  /**
   * Recipients, amounts and metadata, for the sender and its viewers once it is settled.
   *
   * @throws CairnError `VIEWING_KEY_MISSING` without a wallet to prove who asks
   */
  details(): Promise<PrivateDetails>
}

export function handleOf(
  context: ClientContext,
  id: bigint,
  { createTxHash = null }: { createTxHash?: Hex | null } = {},
): IntentHandle {
  const { relayer } = context
  const record = () => relayer.intentDetails(id)
  const call = async (functionName: 'cancelIntent' | 'refund') => {
    const source = sourceOf(context, id)
    const data = encodeFunctionData({ abi: bridgeIntentV2Abi, functionName, args: [id] })
    return send(requireWallet(context, source), source.bridge, data)
  }
  return {
    ...{ id, createTxHash, record },
    status: async () => (await record()).status,
    wait: (options = {}) => waitForIntent(context, id, options),
    cancel: () => call('cancelIntent'),
    refund: () => call('refund'),
    details: async () => {
      const { walletClient } = context
      if (walletClient === undefined) {
        const words =
          'no wallet is loaded that could prove who asks: give createCairnClient a walletClient'
        throw new CairnError('VIEWING_KEY_MISSING', words)
      }
      const timestamp = Math.floor(Date.now() / 1_000)
      const message = intentPrivateMessage(id, Number(id >> 64n), timestamp)
      const { account } = walletClient
      const signature = await walletClient.signMessage({ account, message })
      return relayer.privateDetails(id, { reader: account.address, signature, timestamp })
    },
  }
}

/** The chain that an id begins with. */
function sourceOf({ chains }: ClientContext, id: bigint): CairnChain {
  const chainId = Number(id >> 64n)
  const chain = chains.find((one) => one.chainId === chainId)
  if (chain !== undefined) return chain
  throw new CairnError(
    'UNSUPPORTED_CHAIN',
    `intent ${id} is of chain ${chainId}, which isn’t configured`,
    {
      details: { chainId },
    },
  )
}
