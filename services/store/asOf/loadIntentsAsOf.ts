import { type RawBuilder, sql } from 'kysely'
import { evolveIntent } from '../../../core/intent/evolveIntent.ts'
import { isByWinner } from '../../../core/intent/findWinnersDelivery.ts'
import type { ChainEvent } from '../../../src/event/chainEvent.ts'
import type { CreationTerms } from '../../../src/intent/bridgeTerms.ts'
import {
  type IntentFacts,
  isKnown,
  type KnownIntent,
  NO_FACTS,
} from '../../../src/intent/intentFacts.ts'
import { fromEventRow } from '../../../src/projection/eventRow.ts'
import type { EventRow } from '../../../src/projection/rowTypes.ts'
import { reviveRow } from '../database/columnSql.ts'
import type { Db } from '../database/openDatabase.ts'
import { bidCountSql, timelineEventsSql } from '../events/timelineEventsSql.ts'
import {
  type IntentKey,
  requestedIntents,
  SEQUENCE,
  type StoredIntent,
} from '../intents/storedIntent.ts'
import { UNPREPARED } from './cutoffSql.ts'
import type { AsOf } from './resolveAsOf.ts'

/** One intent's row of `timelinesQuery`. */
export type TimelineRow = IntentKey & {
  sequence: bigint
  /** The token's quorum at creation. It is in no event and never changes. */
  quorum: number
  bidCount: number
  events: unknown[]
}

/** Adds to rows of `cairn.intent` (`page`) their timelines up to the cutoffs, in no particular order. */
export function timelinesQuery(
  page: RawBuilder<unknown>,
  { cutoffs }: AsOf,
): RawBuilder<TimelineRow> {
  return sql<TimelineRow>`select intent.source_chain_id as "sourceChainId", intent.intent_id as "intentId",
      intent.quorum, ${sql.raw(SEQUENCE)} as sequence, ${sql.raw(bidCountSql(cutoffs))} as "bidCount",
      ${sql.raw(timelineEventsSql(cutoffs, true))} as events
    from (${page}) as intent`
}

/** The intent in its state at the cutoffs; null if it didn't exist yet. */
export function toStoredAsOf(row: TimelineRow, { chains }: AsOf): StoredIntent | null {
  const bridge = chains.ready.find(({ chainId }) => chainId === row.sourceChainId)?.bridge
  if (!bridge) return null
  const rows = row.events.map((event) => reviveRow('event', event))
  const events = rows.map((event) => fromEventRow(event, bridge.address))
  const terms = { ...bridge.terms, quorum: row.quorum }
  const facts = foldTimeline({ events, bidCount: row.bidCount }, terms)
  if (!facts) return null
  const { source, deliveries } = facts
  return { source, deliveries: [...deliveries], sequence: row.sequence, events: listedEvents(rows) }
}

/** Without the last bid, which is only needed for folding. */
function listedEvents(rows: EventRow[]): EventRow[] {
  const first = rows.find(({ type }) => type === 'BidPlaced')
  return rows.filter((row) => row.type !== 'BidPlaced' || row === first)
}

/** Loads the intents with these keys in their state at the cutoffs, without those that didn't exist yet. One statement. */
export async function loadIntentsAsOf(
  db: Db,
  keys: readonly IntentKey[],
  asOf: AsOf,
): Promise<StoredIntent[]> {
  if (keys.length === 0) return []
  const page = sql`select intent.* from ${requestedIntents(keys)}
    join cairn.intent as intent on intent.source_chain_id = requested.chain and intent.intent_id = requested.id`
  const query = sql<TimelineRow>`${sql.raw(UNPREPARED)}${timelinesQuery(page, asOf)}`
  const { rows } = await query.execute(db)
  return rows.flatMap((row) => toStoredAsOf(row, asOf) ?? [])
}

/** Finds every intent with this id in its state at the cutoffs, by source chain (see `findCandidates`). */
export async function findCandidatesAsOf(
  db: Db,
  intentId: bigint,
  asOf: AsOf,
): Promise<StoredIntent[]> {
  const keys = asOf.chains.ready.map(({ chainId }) => ({ sourceChainId: chainId, intentId }))
  const found = await loadIntentsAsOf(db, keys, asOf)
  return found.sort((a, b) => a.source.sourceChainId - b.source.sourceChainId)
}

/** An intent's events up to some moment. Each chain's are in order; the order between chains doesn't matter. */
type EventTimeline = {
  /** Without the bids between the first and the last. */
  events: readonly ChainEvent[]
  /** Number of bids, including those left out. */
  bidCount: number
}

/**
 * Folds a timeline to an intent's facts, with only the winner's deliveries; null if the intent didn't exist yet.
 *
 * Of the bids left out only their number matters. It is set before the last bid is folded.
 */
export function foldTimeline(
  { events, bidCount }: EventTimeline,
  terms: CreationTerms,
): KnownIntent | null {
  const lastBid = events.findLast(({ type }) => type === 'BidPlaced')
  let facts: IntentFacts = NO_FACTS
  for (const event of events) {
    const before = event === lastBid ? withBids(facts, bidCount - 1) : facts
    facts = evolveIntent(before, event, terms)
  }
  if (!isKnown(facts)) return null
  const { source, deliveries } = facts
  return { source, deliveries: deliveries.filter((delivery) => isByWinner(source, delivery)) }
}

function withBids(facts: IntentFacts, bidCount: number): IntentFacts {
  return facts.source ? { ...facts, source: { ...facts.source, bidCount } } : facts
}
