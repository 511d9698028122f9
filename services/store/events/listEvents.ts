import { type RawBuilder, sql } from 'kysely'
import type { Cutoffs } from '../../../core/intent/asOfCutoff.ts'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import type { ChainEventType } from '../../../src/event/chainEvent.ts'
import type { EventRow } from '../../../src/projection/rowTypes.ts'
import { UNPREPARED, withinSql } from '../asOf/cutoffSql.ts'
import { selectList } from '../database/columnSql.ts'
import {
  branchesSql,
  type Choices,
  choicesSql,
  equals,
  type Filters,
  within,
} from '../database/filterSql.ts'
import type { Db } from '../database/openDatabase.ts'
import { decodeCursor, encodeCursor } from '../database/paginationCursor.ts'
import type { Range } from '../intents/intentFilter.ts'
import type { Direction } from '../intents/intentSortOrder.ts'
import type { IntentKey } from '../intents/storedIntent.ts'

/** Filters events. `sender` is the account that created the event's intent, `chainId` the event's own chain. */
export type EventFilter = Choices<{
  sender: Hex
  chainId: number
  type: ChainEventType
  transactionHash: Hex
}> & {
  /** Events about this intent, on any chain. */
  intent?: IntentKey | undefined
  /** Use it with `chainId`. */
  blockNumber?: number | undefined
  /** Block time, in unix seconds. */
  blockTimestamp?: Range<number> | undefined
}

const COLUMNS = ['chainId', 'type', 'transactionHash'] as const

/** An event's position in time over all chains. */
export type EventPlace = {
  blockTimestamp: number
  chainId: number
  blockNumber: number
  logIndex: number
}

type EventPage = {
  filter?: Filters<EventFilter> | undefined
  within?: Cutoffs | undefined
  /** By block time, then chain, block and log. */
  direction: Direction
  /** Only events strictly after this position in the order; the page is the first `limit` of them. */
  after?: EventPlace | undefined
  /** Only events strictly before this position; without `after` the page is the last `limit` of them. */
  before?: EventPlace | undefined
  /** Take the last `limit` rows of the range rather than the first. Default: `before` without `after`. */
  fromEnd?: boolean | undefined
  limit: number
}

const KEY = 'event.block_timestamp, event.chain_id, event.block_number, event.log_index'

export async function listEvents(db: Db, page: EventPage): Promise<EventRow[]> {
  const { rows } = await eventsQuery(page).execute(db)
  return isFromEnd(page) ? rows.toReversed() : rows
}

/** The rows are reversed if the page is taken from the end. */
function eventsQuery(page: EventPage): RawBuilder<EventRow> {
  const { filter = {}, within, direction, after, before, limit } = page
  const ascending = direction === 'asc'
  const range = [
    sql.raw(withinSql('event', 'event', within)),
    ...(after ? [beyond(after, ascending)] : []),
    ...(before ? [beyond(before, !ascending)] : []),
  ]
  const sqlDirection = ascending !== isFromEnd(page) ? 'asc' : 'desc'
  const order = sql.raw(KEY.replaceAll(/event\.\w+/g, `$& ${sqlDirection}`))
  const prefix = sql.raw(within ? UNPREPARED : '')
  const part = (condition: RawBuilder<unknown>) => sql`from cairn.event as event
    where ${sql.join([condition, ...range], sql` and `)} order by ${order} limit ${sql.lit(limit)}`
  const columns = sql.raw(selectList('event', 'event'))
  const [only = sql`false`, ...more] = branchesSql(filter, (own: EventFilter) => [
    conditionsOf(own),
  ])
  if (more.length === 0) return sql<EventRow>`${prefix}select ${columns} ${part(only)}`
  // Each branch scans its own index and stops after a page.
  const parts = [only, ...more].map((branch) => sql`(select * ${part(branch)})`)
  return sql<EventRow>`${prefix}select ${columns} from (${sql.join(parts, sql` union all `)}) as event
    order by ${order} limit ${sql.lit(limit)}`
}

export function placeOfEvent(event: EventRow): EventPlace {
  const { blockTimestamp, chainId, blockNumber, logIndex } = event
  return { blockTimestamp, chainId, blockNumber, logIndex }
}

/** An event's position as opaque text. */
export function eventCursor(place: EventPlace): string {
  const { blockTimestamp, chainId, blockNumber, logIndex } = place
  return encodeCursor('events', [blockTimestamp, chainId, blockNumber, logIndex])
}

/** The position in an `eventCursor`. @throws CursorError for anything else */
export function eventPlace(cursor: string): EventPlace {
  const kinds = ['integer', 'integer', 'integer', 'integer'] as const
  const [blockTimestamp, chainId, blockNumber, logIndex] = decodeCursor(
    'events',
    kinds,
    cursor,
  ).map(Number) as [number, number, number, number]
  return { blockTimestamp, chainId, blockNumber, logIndex: asInt4(logIndex) }
}

/** Clamps to what a 32-bit column can hold, since a forged cursor may contain anything. */
export function asInt4(value: number): number {
  return Math.min(Math.max(value, 0), 2 ** 31 - 1)
}

function isFromEnd({ fromEnd, before, after }: EventPage): boolean {
  return fromEnd ?? (before !== undefined && after === undefined)
}

function beyond(place: EventPlace, larger: boolean): RawBuilder<unknown> {
  const { blockTimestamp, chainId, blockNumber, logIndex } = place
  return sql`(${sql.raw(KEY)}) ${sql.raw(larger ? '>' : '<')}
    (${blockTimestamp}::bigint, ${chainId}::bigint, ${blockNumber}::bigint, ${logIndex}::integer)`
}

function conditionsOf(filter: EventFilter): RawBuilder<unknown>[] {
  const { intent, sender, senderIn } = filter
  return [
    ...(intent
      ? [
          sql`event.source_chain_id = ${intent.sourceChainId}::bigint
            and event.intent_id = ${String(intent.intentId)}::numeric`,
        ]
      : []),
    ...(sender === undefined ? [] : [ofSenders([sender])]),
    ...(senderIn === undefined ? [] : [ofSenders(senderIn)]),
    ...choicesSql('event', COLUMNS, filter),
    ...equals('event.block_number', filter.blockNumber),
    ...within('event.block_timestamp', filter.blockTimestamp),
  ]
}

/** Found through the senders' intents, since an event doesn't name its intent's sender. */
function ofSenders(senders: readonly Hex[]): RawBuilder<unknown> {
  const [sender, ...more] = senders
  const isFromThem =
    more.length === 0
      ? sql`i.sender = ${sender ?? null}`
      : sql`i.sender = any(${[...senders]}::text[])`
  return sql`(event.source_chain_id, event.intent_id) in (
    select i.source_chain_id, i.intent_id from cairn.intent as i where ${isFromThem})`
}
