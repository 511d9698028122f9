import type { Rows } from '../table/rows.ts'

export type { Phase } from '../table/enumValues.ts'

/** What the source chain has said of an intent: a row of the table `intent`. */
export type SourceFacts = Rows['intent']

/** One `solveIntent` on some chain: a row of the table `delivery`. Anyone can cause one. */
export type Delivery = Rows['delivery']

/** All that chains have said of one intent. `deliveries` are ordered by (destChainId, chain2IntentId). */
export type IntentFacts = { source: SourceFacts | null; deliveries: readonly Delivery[] }

/** Facts of an intent whose creation is known. */
export type KnownIntent = { source: SourceFacts; deliveries: readonly Delivery[] }

/** Facts before any event. */
export const NO_FACTS: IntentFacts = { source: null, deliveries: [] }

/** Whether the source chain's creation of the intent has been seen. */
export function isKnown(facts: IntentFacts): facts is KnownIntent {
  return facts.source !== null
}
