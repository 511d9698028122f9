import { evolve } from '../../../core/intent/evolve.ts'
import { isByWinner } from '../../../core/intent/winnersDelivery.ts'
import type { ChainEvent } from '../../../src/event/chainEvent.ts'
import { type IntentFacts, isKnown, type KnownIntent, NO_FACTS } from '../../../src/intent/facts.ts'
import type { CreationTerms } from '../../../src/intent/terms.ts'

/** What is known of an intent up to some moment, in any order between chains, each chain's in its own. */
type EventTimeline = {
  /** Every event about it that counts, bids between the first and the last left out. */
  events: readonly ChainEvent[]
  /** How many bids count. */
  bidCount: number
}

/**
 * An intent's facts by its timeline, folded with the one reducer; null when it wasn't created yet. Of
 * deliveries only the winner's are among them.
 *
 * The bids that were left out say nothing that the last one doesn't, but for their number: it is
 * put in before the last one is folded.
 */
export function foldTimeline(
  { events, bidCount }: EventTimeline,
  terms: CreationTerms,
): KnownIntent | null {
  const lastBid = events.findLast(({ type }) => type === 'BidPlaced')
  let facts: IntentFacts = NO_FACTS
  for (const event of events) {
    const before = event === lastBid ? withBids(facts, bidCount - 1) : facts
    facts = evolve(before, event, terms)
  }
  if (!isKnown(facts)) return null
  const { source, deliveries } = facts
  return { source, deliveries: deliveries.filter((delivery) => isByWinner(source, delivery)) }
}

function withBids(facts: IntentFacts, bidCount: number): IntentFacts {
  return facts.source ? { ...facts, source: { ...facts.source, bidCount } } : facts
}
