import type { Hash, Hex } from 'viem'
import { packIntentId } from '../../../core/intent/intentId.ts'
import type { TrafficChain } from '../../../devnet/traffic/trafficChainClient.ts'
import { createIntentCall } from '../../../sdk/intent/createIntentCall.ts'
import { sealCreationBlob } from '../../../sdk/seal/sealCreationBlob.ts'
import type { Played } from './expectedBalances.ts'
import { buildTerms, type PlannedIntent } from './plannedIntent.ts'

/**
 * Sends the creation from the first sender. Resolves when the node has accepted it.
 *
 * @param sequence the intent's future number on its chain, which determines its recipients
 * @param key the relayer's, for recipients sent with the creation
 */
export async function sendPlannedIntent(
  chains: readonly [TrafficChain, TrafficChain],
  planned: PlannedIntent,
  { sequence, seed, key }: { sequence: bigint; seed: number; key: Hex },
): Promise<{ played: Played; hash: Hash }> {
  const [source, destination] = planned.from === 0 ? chains : [chains[1], chains[0]]
  const [sender] = source.senders
  if (!sender) throw new Error('the devnet has no sender')
  const id = packIntentId(source.chainId, sequence)
  const { amountA, expectedAmountB, reward, bundle } = buildTerms(planned, seed, id)
  const params = {
    tokenA: source.contracts.tokens[planned.tokenA],
    tokenB: destination.contracts.tokens[planned.tokenB],
    amountA,
    expectedAmountB,
    reward,
    destChainId: BigInt(destination.chainId),
    auctionDuration: BigInt(planned.auctionSeconds),
  }
  const blob =
    planned.naming === 'blob'
      ? sealCreationBlob(key, {
          ...bundle,
          params,
          sourceChainId: source.chainId,
          user: sender.address,
          bridge: source.contracts.bridge,
          createdAt: Math.floor(Date.now() / 1_000),
        })
      : null
  const data = createIntentCall(params, blob)
  const hash = await sender.send({ to: source.contracts.bridge, data, gas: 500_000n })
  const { chainId: sourceChainId } = source
  return { played: { planned, id, sourceChainId, destChainId: destination.chainId }, hash }
}
