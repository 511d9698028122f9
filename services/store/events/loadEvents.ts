import { type RawBuilder, sql } from 'kysely'
import type { Cutoffs } from '../../../core/intent/asOfCutoff.ts'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import type { EventRow } from '../../../src/projection/rowTypes.ts'
import { UNPREPARED, withinSql } from '../asOf/cutoffSql.ts'
import { selectList } from '../database/columnSql.ts'
import type { Db } from '../database/openDatabase.ts'
import { type IntentKey, requestedIntents } from '../intents/storedIntent.ts'
import type { EventPlace } from './listEvents.ts'

type IntentEventPage = {
  /** Only events after this position. */
  after?: EventPlace | undefined
  /** Limit for each intent. */
  limit: number
  within?: Cutoffs | undefined
}

/** Loads the events of each intent on all chains, by time; intents in no particular order. */
export async function loadEvents(
  db: Db,
  keys: readonly IntentKey[],
  { after, limit, within }: IntentEventPage,
): Promise<EventRow[]> {
  if (keys.length === 0) return []
  const beyond = after
    ? sql`and (e.block_timestamp, e.chain_id, e.block_number, e.log_index)
        > (${after.blockTimestamp}::bigint, ${after.chainId}::bigint, ${after.blockNumber}::bigint, ${after.logIndex}::integer)`
    : sql``
  const { rows } =
    await sql<EventRow>`${sql.raw(within ? UNPREPARED : '')}select event.* from ${requestedIntents(keys)} cross join lateral (
    select ${sql.raw(selectList('event', 'e'))} from cairn.event e
    where e.source_chain_id = requested.chain and e.intent_id = requested.id ${beyond}
      and ${sql.raw(withinSql('event', 'e', within))}
    order by e.block_timestamp, e.chain_id, e.block_number, e.log_index limit ${limit}) as event
    order by event."blockTimestamp", event."chainId", event."blockNumber", event."logIndex"`.execute(
      db,
    )
  return rows
}

/** Identifies a log by its position on its chain. */
export type EventKey = { chainId: number; blockNumber: number; logIndex: number }

/** Loads the events at these positions, in no particular order, without absent ones. */
export async function loadEventRows(db: Db, keys: readonly EventKey[]): Promise<EventRow[]> {
  if (keys.length === 0) return []
  const { rows } = await sql<EventRow>`select ${sql.raw(selectList('event', 'event'))}
    from ${requested(keys)} join cairn.event as event on ${samePlace('event')}`.execute(db)
  return rows
}

/** A position, and which of its orphaned events: 1 is the newest. */
type OrphanKey = EventKey & { nth: number }

/** Loads these orphaned events, or the oldest one at a position that has fewer, in no particular order. */
export async function loadOrphans(db: Db, keys: readonly OrphanKey[]): Promise<EventRow[]> {
  if (keys.length === 0) return []
  const { rows } = await sql<EventRow>`select ${sql.raw(selectList('event', 'orphan'))}
    from ${requested(keys)} join app.orphaned_event as orphan on ${samePlace('orphan')}
    order by orphan.orphaned_at desc`.execute(db)
  const ages = new Map(keys.map((key) => [placeName(key), key.nth]))
  const chosen = new Map<string, EventRow>()
  for (const row of rows) {
    const place = placeName(row)
    const left = ages.get(place) ?? 0
    if (left > 0) chosen.set(place, row)
    ages.set(place, left - 1)
  }
  return [...chosen.values()]
}

/** A position as a map key. */
export function placeName({ chainId, blockNumber, logIndex }: EventKey): string {
  return `${chainId}:${blockNumber}:${logIndex}`
}

function requested(keys: readonly EventKey[]): RawBuilder<unknown> {
  const column = (name: keyof EventKey) => keys.map((key) => key[name])
  return sql`(select distinct * from unnest(${column('chainId')}::bigint[],
    ${column('blockNumber')}::bigint[], ${column('logIndex')}::integer[]) as key (chain, block, log)) as requested`
}

function samePlace(alias: string): RawBuilder<unknown> {
  return sql.raw(
    `${alias}.chain_id = requested.chain and ${alias}.block_number = requested.block and ${alias}.log_index = requested.log`,
  )
}

/** A block whose hash is indexed. */
type EventBlock = { chainId: number; blockNumber: number; blockHash: Hex }

/** Loads the newest block with an event on each chain, without chains that have no event. */
export async function lastEventBlocks(db: Db, chainIds: readonly number[]): Promise<EventBlock[]> {
  if (chainIds.length === 0) return []
  const { rows } =
    await sql<EventBlock>`select newest.* from unnest(${[...chainIds]}::bigint[]) as requested (chain)
    cross join lateral (
      select e.chain_id as "chainId", e.block_number as "blockNumber", e.block_hash as "blockHash"
      from cairn.event e where e.chain_id = requested.chain
      order by e.block_number desc, e.log_index desc limit 1) as newest`.execute(db)
  return rows
}
