import { type RawBuilder, sql } from 'kysely'
import type { Delivery, SourceFacts } from '../../src/intent/facts.ts'
import type { EventRow } from '../../src/projection/rows.ts'
import { jsonRow, reviveRow, selectList } from './columns.ts'

/** What the chains have said of one intent, as one statement read it. Time is not in it. */
export type StoredIntent = {
  source: SourceFacts
  /** The winner's delivery on the destination chain, valid or not: no other one counts. */
  deliveries: Delivery[]
  /** Grows with every change of the record, also when a reorg takes something back. */
  sequence: bigint
  /**
   * Its events on all chains by time, when asked for: without strangers' deliveries, without bids
   * after the first, recovery blobs emptied. Enough for `timeline`, and bounded: anyone may outbid
   * by one unit or claim a delivery as often as gas lasts.
   */
  events: EventRow[] | null
}

/** Names an intent. */
export type IntentKey = { sourceChainId: number; intentId: bigint }

type StoredRow = SourceFacts & { deliveries: unknown[]; sequence: bigint; events?: unknown[] }

/**
 * A statement that completes rows of `cairn.intent` (aliased `intent` in `page`) to stored intents.
 * `order` repeats the page's own order, in columns of `intent`.
 */
export function storedIntentsQuery(
  page: RawBuilder<unknown>,
  order: RawBuilder<unknown>,
  withEvents: boolean,
): RawBuilder<StoredRow> {
  const events = withEvents ? sql`, ${sql.raw(EVENTS)} as events` : sql``
  return sql<StoredRow>`select ${sql.raw(FACTS)}${events} from (${page}) as intent ${order}`
}

/** A row of `storedIntentsQuery` in the domain's shape. */
export function toStoredIntent(row: StoredRow): StoredIntent {
  const { deliveries, sequence, events, ...source } = row
  return {
    source,
    deliveries: deliveries.map((delivery) => reviveRow('delivery', delivery)),
    sequence,
    events: events?.map((event) => reviveRow('event', event)) ?? null,
  }
}

const DELIVERIES = `coalesce((
  select json_agg(${jsonRow('delivery', 'd')}) from cairn.delivery d
  where d.source_chain_id = intent.source_chain_id and d.intent_id = intent.intent_id
    and d.solver = intent.solver and d.dest_chain_id = intent.dest_chain_id), '[]')`

/** A chain that became readable after the last change told more than the log knows: hence its base. */
const SEQUENCE = `greatest(
  (select max(log.sequence) from app.change_log log
   where log.source_chain_id = intent.source_chain_id and log.intent_id = intent.intent_id),
  (select max(p.base_sequence) from app.projection p
   where p.active and p.chain_id in (intent.source_chain_id, intent.dest_chain_id)))::numeric`

const OF_INTENT = 'e.source_chain_id = intent.source_chain_id and e.intent_id = intent.intent_id'
const IN_TIME = 'e.block_timestamp, e.chain_id, e.block_number, e.log_index'
const WITHOUT_BLOB = { args: `e.args || '{"encryptedBlob": "0x"}'` }

const EVENTS = `coalesce((
  select json_agg(${jsonRow('event', 'e', WITHOUT_BLOB)} order by ${IN_TIME}) from (
    select * from cairn.event e where ${OF_INTENT} and e.type <> 'BidPlaced'
      and (e.type <> 'IntentSolved' or (e.args ->> 'solver' = intent.solver and e.chain_id = intent.dest_chain_id))
    union all
    (select * from cairn.event e where ${OF_INTENT} and e.type = 'BidPlaced'
     order by e.block_number, e.log_index limit 1)
  ) e), '[]')`

const FACTS = `${selectList('intent', 'intent')}, ${DELIVERIES} as deliveries, ${SEQUENCE} as sequence`
