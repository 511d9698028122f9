import { parseChainId } from '../chain/parseChainId.ts'
import type { BridgeEventOf } from '../event/bridgeEvent.ts'
import type { Delivery } from './intentFacts.ts'

/**
 * The delivery in an `IntentSolved`; null when it names a source chain that can't exist.
 *
 * Anyone may call `solveIntent` with any source chain, intent, token and amount, so a delivery is a
 * claim: `isValidDelivery` decides whether it counts, by the source chain's events.
 */
export function deliveryFromEvent({ args, point }: BridgeEventOf<'IntentSolved'>): Delivery | null {
  const sourceChainId = parseChainId(args.sourceChainId)
  if (sourceChainId === null) return null
  return {
    destChainId: point.chainId,
    chain2IntentId: args.chain2IntentId,
    sourceChainId,
    intentId: args.intentId,
    paramsHash: args.paramsHash,
    solver: args.solver,
    tokenB: args.tokenB,
    amountB: args.amountB,
    credited: 0n,
    solveTxHash: point.transactionHash,
    solvedAt: point.blockTimestamp,
    solvedBlock: point.blockNumber,
  }
}
