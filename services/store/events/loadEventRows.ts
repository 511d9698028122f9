import { type RawBuilder, sql } from 'kysely'
import type { EventRow } from '../../../src/projection/rows.ts'
import { selectList } from '../database/columns.ts'
import type { Db } from '../database/database.ts'

/** Names a log by its place in its chain. */
export type EventKey = { chainId: number; blockNumber: number; logIndex: number }

/** The events at these places, in no particular order; absent ones are left out. */
export async function loadEventRows(db: Db, keys: readonly EventKey[]): Promise<EventRow[]> {
  if (keys.length === 0) return []
  const { rows } = await sql<EventRow>`select ${sql.raw(selectList('event', 'event'))}
    from ${requested(keys)} join cairn.event as event on ${samePlace('event')}`.execute(db)
  return rows
}

/** A place, and which of the orphans that were there: 1 is the newest. */
type OrphanKey = EventKey & { nth: number }

/** These orphans, or the oldest there is at a place with fewer, in no particular order. */
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

/** A place as one word. */
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
