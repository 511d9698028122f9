import type { BridgeEventOf } from '../../src/event/bridgeEvent.ts'
import type { ChainEvent } from '../../src/event/chainEvent.ts'
import type { Keccak } from '../../src/event/paramsHash.ts'
import { deliveryFromEvent } from '../../src/intent/deliveryFromEvent.ts'
import { evolveSource } from '../../src/intent/evolveSource.ts'
import type { Delivery, IntentFacts } from '../../src/intent/intentFacts.ts'
import type { CreationTerms } from '../../src/intent/terms.ts'

/**
 * Facts of an intent after one more event about it, from either chain.
 *
 * Commutes across chains: each chain's events must come in that chain's order, but how the chains
 * interleave makes no difference, so a delivery may be known before the intent is. Knows no clock.
 * `terms` are those of the source chain's bridge when it created the intent.
 *
 * @param keccak another keccak256, for who folds many
 */
export function evolveIntent(
  facts: IntentFacts,
  event: ChainEvent,
  terms: CreationTerms,
  keccak?: Keccak,
): IntentFacts {
  if (event.type === 'IntentSolved') {
    const delivery = deliveryFromEvent(event)
    return delivery ? { ...facts, deliveries: withDelivery(facts.deliveries, delivery) } : facts
  }
  if (event.type === 'DeliveryCredited') {
    return { ...facts, deliveries: facts.deliveries.map((delivery) => withCredit(delivery, event)) }
  }
  const source = evolveSource(facts.source, event, terms, keccak)
  return source === facts.source ? facts : { ...facts, source }
}

/** Keeps deliveries sorted, so that the facts don't depend on the order of arrival; adds none twice. */
function withDelivery(known: readonly Delivery[], added: Delivery): readonly Delivery[] {
  const place = known.findIndex((delivery) => compare(delivery, added) >= 0)
  if (place === -1) return [...known, added]
  return compare(known[place]!, added) === 0 ? known : known.toSpliced(place, 0, added)
}

/** The delivery, if it is the one of which the token refused a part. Its chain says so right after it. */
function withCredit(delivery: Delivery, event: BridgeEventOf<'DeliveryCredited'>): Delivery {
  const { args, point } = event
  const isIt =
    delivery.destChainId === point.chainId && delivery.chain2IntentId === args.chain2IntentId
  return isIt ? { ...delivery, credited: args.amount } : delivery
}

function compare(a: Delivery, b: Delivery): number {
  if (a.destChainId !== b.destChainId) return a.destChainId - b.destChainId
  if (a.chain2IntentId === b.chain2IntentId) return 0
  return a.chain2IntentId < b.chain2IntentId ? -1 : 1
}
