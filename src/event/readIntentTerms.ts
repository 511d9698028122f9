import type { BridgeEventOf } from './bridgeEvent.ts'
import { auctionDurationOf, type IntentTerms } from './paramsHash.ts'

/** The terms in an `IntentCreated`. */
export function readIntentTerms({
  address,
  args,
  point,
}: BridgeEventOf<'IntentCreated'>): IntentTerms {
  return {
    chainId: point.chainId,
    bridge: address,
    user: args.user,
    tokenA: args.tokenA,
    tokenB: args.tokenB,
    amountA: args.amountA,
    expectedAmountB: args.expectedAmountB,
    reward: args.reward,
    destChainId: args.destChainId,
    auctionDuration: auctionDurationOf(args.endTime, point.blockTimestamp),
  }
}
