import { type RawBuilder, sql } from 'kysely'
import type { ChainHeads } from '../chains/chainHeads.ts'
import type { Db } from '../database/database.ts'
import type { IntentFilter } from './intentFilter.ts'
import { filterConditions } from './intentFilter.ts'
import { filterBranches, type IntentFilters } from './selectIntents.ts'

/** Columns by which `pair_day` counts what was created. */
const COUNTED_BY_PAIR = new Set(['sourceChainId', 'destChainId', 'tokenA', 'tokenB'])

/** How many intents pass a filter, exactly. `heads` as for `listIntents`. */
export async function countIntents(
  db: Db,
  filter: IntentFilters,
  heads: ChainHeads,
): Promise<number> {
  const query = countIntentsQuery(filter, heads)
  if (query === null) return 0
  const { rows } = await query.execute(db)
  return rows[0]?.count ?? 0
}

/** The statement of `countIntents`; null when no row can match. */
export function countIntentsQuery(
  filter: IntentFilters,
  heads: ChainHeads,
): RawBuilder<{ count: number }> | null {
  const [only, ...more] = [filter].flat() as IntentFilter[]
  if (only && more.length === 0 && countableByPair(only)) return countByPair(only)
  const counts = filterBranches(filter, heads).map(
    (where) => sql`(select count(*) from cairn.intent as intent where ${where})`,
  )
  return counts.length === 0 ? null : sql`select ${sql.join(counts, sql` + `)} as count`
}

function countableByPair(filter: IntentFilter): boolean {
  return Object.entries(filter).every(
    ([name, value]) => value === undefined || COUNTED_BY_PAIR.has(name),
  )
}

/** Intents are counted per pair and day as they are created: no need to visit them. */
function countByPair(filter: IntentFilter): RawBuilder<{ count: number }> {
  const conditions = [sql`true`, ...filterConditions(filter)]
  return sql`select coalesce(sum(created), 0)::bigint as count from cairn.pair_day as intent
    where ${sql.join(conditions, sql` and `)}`
}
