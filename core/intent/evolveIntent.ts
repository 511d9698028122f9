import type { BridgeEventOf } from '../../src/event/bridgeEvent.ts'
import type { ChainEvent } from '../../src/event/chainEvent.ts'
import type { Keccak } from '../../src/event/paramsHash.ts'
import type { CreationTerms } from '../../src/intent/bridgeTerms.ts'
import { deliveryFromEvent } from '../../src/intent/deliveryFromEvent.ts'
import { evolveSource } from '../../src/intent/evolveSource.ts'
import type { Delivery, IntentFacts } from '../../src/intent/intentFacts.ts'

/**
 * An intent's facts after one more event, from either chain.
 *
 * Commutes across chains: each chain's events must come in order, but their interleaving makes no difference, so a
 * delivery may be known before the intent. Needs no clock. `terms` are those of the source chain's bridge at the
 * creation.
 *
 * @param keccak another keccak256, for callers that fold many events
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

/** Keeps deliveries sorted and unique, so that the facts don't depend on the order of arrival. */
function withDelivery(known: readonly Delivery[], added: Delivery): readonly Delivery[] {
  const place = known.findIndex((delivery) => compare(delivery, added) >= 0)
  if (place === -1) return [...known, added]
  return compare(known[place]!, added) === 0 ? known : known.toSpliced(place, 0, added)
}

/** The delivery of which the token refused a part, as its chain reports right after it. */
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
