import type { BridgeEvent, Hex } from '../../src/event/bridgeEvent.ts'
import type { SourceFacts } from '../../src/intent/facts.ts'
import type { IntentTerms } from './intentTerms.ts'

/** The terms of an intent that is indexed. */
export function termsOf(source: SourceFacts, bridge: Hex): IntentTerms {
  const { sourceChainId, intentId, destChainId, sender: user } = source
  const { tokenA, tokenB, amountA, expectedAmountB, reward, endTime, createdAt } = source
  return {
    ...{ sourceChainId, intentId, destChainId, user, bridge: bridge.toLowerCase() as Hex },
    ...{ tokenA, tokenB, amountA, expectedAmountB, reward },
    auctionDuration: endTime - createdAt,
  }
}

/** The terms that a creation's log tells of. */
export function termsOfCreation(
  event: Extract<BridgeEvent, { type: 'IntentCreated' }>,
): IntentTerms {
  const { args, point, address: bridge } = event
  const { intentId, user, tokenA, tokenB, amountA, expectedAmountB, reward } = args
  return {
    ...{ sourceChainId: point.chainId, intentId, user, bridge },
    ...{ tokenA, tokenB, amountA, expectedAmountB, reward },
    destChainId: Number(args.destChainId),
    auctionDuration: Number(args.endTime) - point.blockTimestamp,
  }
}
