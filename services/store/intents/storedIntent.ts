import { type RawBuilder, sql } from 'kysely'
import type { Delivery, SourceFacts } from '../../../src/intent/intentFacts.ts'
import type { EventRow } from '../../../src/projection/rowTypes.ts'
import { arrayParameter, jsonRow, reviveRow, selectList } from '../database/columnSql.ts'
import { timelineEventsSql, winnersDeliverySql } from '../events/timelineEventsSql.ts'

/** The facts of an intent as one statement read them, independent of time. */
export type StoredIntent = {
  source: SourceFacts
  /**
   * The winner's delivery on the destination chain, if any: the settled one, else the first valid one, else the first. A
   * winner may deliver any number of times; no other delivery counts.
   */
  deliveries: Delivery[]
  /** Grows with every change of the record, including a reorg's. */
  sequence: bigint
  /**
   * Its events on all chains by time, if requested: enough for `buildTimeline`, and bounded (see `timelineEventsSql`).
   */
  events: EventRow[] | null
}

export type IntentKey = { sourceChainId: number; intentId: bigint }

/** An intent's key as text, for maps. */
export function intentName({ sourceChainId, intentId }: IntentKey): string {
  return `${sourceChainId}:${intentId}`
}

/** The distinct keys as a relation `requested (chain, id)`. */
export function requestedIntents(keys: readonly IntentKey[]): RawBuilder<unknown> {
  const chains = keys.map((key) => key.sourceChainId)
  const ids = keys.map((key) => String(key.intentId))
  return sql`(select distinct * from unnest(${arrayParameter(chains, 'bigint')},
    ${arrayParameter(ids, 'numeric')}) as key (chain, id)) as requested`
}

type StoredRow = SourceFacts & { deliveries: unknown[]; sequence: bigint; events?: unknown[] }

/**
 * Adds to rows of `cairn.intent` (`page`) the other parts of stored intents. `order` repeats the page's order on a row
 * aliased `intent`.
 */
export function storedIntentsQuery(
  page: RawBuilder<unknown>,
  order: RawBuilder<unknown>,
  withEvents: boolean,
): RawBuilder<StoredRow> {
  const events = withEvents ? sql`, ${sql.raw(EVENTS)} as events` : sql``
  return sql<StoredRow>`select ${sql.raw(FACTS)}${events} from (${page}) as intent ${order}`
}

/** Converts a row of `storedIntentsQuery`. */
export function toStoredIntent(row: StoredRow): StoredIntent {
  const { deliveries, sequence, events, ...source } = row
  return {
    source,
    deliveries: deliveries.map((delivery) => reviveRow('delivery', delivery)),
    sequence,
    events: events?.map((event) => reviveRow('event', event)) ?? null,
  }
}

/** The winner's delivery for a row aliased `intent`, as a JSON list of one or none. */
const DELIVERIES = `coalesce((
  select json_agg(${jsonRow('delivery', 'd')}) from (${winnersDeliverySql()}) d), '[]')`

/** Includes the base sequences of the intent's chains: a chain that was shown later changed the record without a log entry. */
export const SEQUENCE = `greatest(
  (select max(log.sequence) from app.change_log log
   where log.source_chain_id = intent.source_chain_id and log.intent_id = intent.intent_id),
  (select max(p.base_sequence) from app.projection p
   where p.active and p.chain_id in (intent.source_chain_id, intent.dest_chain_id)))::numeric`

const EVENTS = timelineEventsSql()

const FACTS = `${selectList('intent', 'intent')}, ${DELIVERIES} as deliveries, ${SEQUENCE} as sequence`
