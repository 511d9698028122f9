import { type RawBuilder, sql } from 'kysely'
import { evolveIntent } from '../../../core/intent/evolveIntent.ts'
import { isByWinner } from '../../../core/intent/winnersDelivery.ts'
import type { ChainEvent } from '../../../src/event/chainEvent.ts'
import { type IntentFacts, isKnown, type KnownIntent, NO_FACTS } from '../../../src/intent/facts.ts'
import type { CreationTerms } from '../../../src/intent/terms.ts'
import { fromEventRow } from '../../../src/projection/eventRow.ts'
import type { EventRow } from '../../../src/projection/rows.ts'
import { reviveRow } from '../database/columns.ts'
import type { Db } from '../database/database.ts'
import { bidCountSql, timelineEventsSql } from '../events/timelineEvents.ts'
import {
  type IntentKey,
  requestedIntents,
  SEQUENCE,
  type StoredIntent,
} from '../intents/storedIntent.ts'
import { ASKED_ONCE } from './cutoffSql.ts'
import type { AsOf } from './resolveAsOf.ts'

/** What a statement of `timelinesQuery` gives for one intent. */
export type TimelineRow = IntentKey & {
  sequence: bigint
  /** In no event: that of the token when the intent was created, which never changes. */
  quorum: number
  bidCount: number
  events: unknown[]
}

/** Completes rows of `cairn.intent` (in `page`) to their timelines as of a moment, in no particular order. */
export function timelinesQuery(
  page: RawBuilder<unknown>,
  { cutoffs }: AsOf,
): RawBuilder<TimelineRow> {
  return sql<TimelineRow>`select intent.source_chain_id as "sourceChainId", intent.intent_id as "intentId",
      intent.quorum, ${sql.raw(SEQUENCE)} as sequence, ${sql.raw(bidCountSql(cutoffs))} as "bidCount",
      ${sql.raw(timelineEventsSql(cutoffs, true))} as events
    from (${page}) as intent`
}

/** The intent as it stood; null when it wasn't created yet. */
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

/** Of two bids the first: the last one only serves to fold the facts. */
function listedEvents(rows: EventRow[]): EventRow[] {
  const first = rows.find(({ type }) => type === 'BidPlaced')
  return rows.filter((row) => row.type !== 'BidPlaced' || row === first)
}

/** The intents with these keys as they stood; those that weren't created yet are left out. One statement. */
export async function loadIntentsAsOf(
  db: Db,
  keys: readonly IntentKey[],
  asOf: AsOf,
): Promise<StoredIntent[]> {
  if (keys.length === 0) return []
  const page = sql`select intent.* from ${requestedIntents(keys)}
    join cairn.intent as intent on intent.source_chain_id = requested.chain and intent.intent_id = requested.id`
  const query = sql<TimelineRow>`${sql.raw(ASKED_ONCE)}${timelinesQuery(page, asOf)}`
  const { rows } = await query.execute(db)
  return rows.flatMap((row) => toStoredAsOf(row, asOf) ?? [])
}

/** Every intent with this id as it stood, ordered by source chain (see `findCandidates`). */
export async function findCandidatesAsOf(
  db: Db,
  intentId: bigint,
  asOf: AsOf,
): Promise<StoredIntent[]> {
  const keys = asOf.chains.ready.map(({ chainId }) => ({ sourceChainId: chainId, intentId }))
  const found = await loadIntentsAsOf(db, keys, asOf)
  return found.sort((a, b) => a.source.sourceChainId - b.source.sourceChainId)
}

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
    facts = evolveIntent(before, event, terms)
  }
  if (!isKnown(facts)) return null
  const { source, deliveries } = facts
  return { source, deliveries: deliveries.filter((delivery) => isByWinner(source, delivery)) }
}

function withBids(facts: IntentFacts, bidCount: number): IntentFacts {
  return facts.source ? { ...facts, source: { ...facts.source, bidCount } } : facts
}
