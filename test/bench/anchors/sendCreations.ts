import { type Address, type Hex, numberToHex } from 'viem'
import { type DevnetAccount, deriveDevnetAccounts } from '../../../devnet/accounts.ts'
import { worth } from '../../../devnet/tokens.ts'
import { createIntentCall } from '../../../sdk/intent/createIntentCall.ts'
import { sealCreationBlob } from '../../../sdk/seal/sealCreationBlob.ts'
import type { BridgeChain } from '../../integration/indexer/bridgePair.ts'

const GAS = 400_000n
/** Far longer than the benchmark takes. */
const AUCTION = 7_200n
/** Raw transactions per request to the node. */
const AT_ONCE = 100

/** Signs creations of intents by several senders in turn, each with its recipients in a blob. */
export async function signCreations(
  base: BridgeChain,
  destChainId: number,
  eciesPublicKey: Hex,
  count: number,
): Promise<Hex[]> {
  const { senders } = deriveDevnetAccounts()
  const calls = senders.map((sender) => callOf(base, sender.address, destChainId, eciesPublicKey))
  const nonces = await Promise.all(
    senders.map(({ address }) => base.client.getTransactionCount({ address, blockTag: 'pending' })),
  )
  const signed: Hex[] = []
  for (let at = 0; at < count; at++) {
    const which = at % senders.length
    const nonce = nonces[which] as number
    nonces[which] = nonce + 1
    signed.push(
      await (senders[which] as DevnetAccount).signTransaction({
        type: 'eip1559',
        chainId: base.chainId,
        nonce,
        gas: GAS,
        value: 0n,
        to: base.contracts.bridge,
        data: calls[which] as Hex,
        maxFeePerGas: 10n ** 12n,
        maxPriorityFeePerGas: 10n ** 9n,
      }),
    )
  }
  return signed
}

/** A sender's blob counts for all its intents with the same terms, so it is sealed once. */
function callOf(
  { chainId, contracts }: BridgeChain,
  user: Address,
  destChainId: number,
  eciesPublicKey: Hex,
): Hex {
  const params = {
    tokenA: contracts.tokens.USDC,
    tokenB: contracts.tokens.ZEN,
    amountA: worth('USDC', 10_000),
    expectedAmountB: worth('ZEN', 9_000),
    reward: worth('USDC', 100),
    destChainId: BigInt(destChainId),
    auctionDuration: AUCTION,
  }
  const recipients = [1, 2].map((one) => numberToHex(0xbe0000 + one, { size: 20 }))
  const blob = sealCreationBlob(eciesPublicKey, {
    sourceChainId: chainId,
    bridge: contracts.bridge,
    user,
    params,
    recipients,
    amounts: recipients.map(() => worth('ZEN', 4_000)),
    createdAt: 1_700_000_000,
  })
  return createIntentCall(params, blob)
}

/** Sends signed transactions directly to the node, without latency. */
export async function sendAll(rpc: string, signed: readonly Hex[]): Promise<void> {
  for (let from = 0; from < signed.length; from += AT_ONCE) {
    const batch = signed
      .slice(from, from + AT_ONCE)
      .map((raw, id) => ({ jsonrpc: '2.0', id, method: 'eth_sendRawTransaction', params: [raw] }))
    const response = await fetch(rpc, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(batch),
    })
    const answers = (await response.json()) as { error?: { message: string } }[]
    const refused = answers.find(({ error }) => error)
    if (refused) throw new Error(`the node refused a creation: ${refused.error?.message}`)
  }
}
