import { type RawBuilder, sql } from 'kysely'
import type { ChainHeads } from '../chains/chainHeads.ts'
import type { Db } from '../database/database.ts'
import { filterBranches, type IntentFilters } from './filterBranches.ts'
import type { IntentFilter } from './intentFilter.ts'
import { keptCount } from './keptCount.ts'

/** How many intents pass a filter. */
export type IntentCount = {
  count: number
  /** False: counting stopped there, and there are more. */
  isExact: boolean
}

/** Intents that are counted one by one, at most. */
const MOST_COUNTED = 10_000

/**
 * How many intents pass a filter: what the reducer keeps as a count, and the rest counted row by row as far as
 * `most`. So it takes a bounded time whatever matches. `heads` as for `listIntents`.
 */
export async function countUpTo(
  db: Db,
  filter: IntentFilters,
  heads: ChainHeads,
  most = MOST_COUNTED,
): Promise<IntentCount> {
  const { rows } = await countUpToQuery(filter, heads, most).execute(db)
  const { kept = 0, counted = 0 } = rows[0] ?? {}
  return { count: kept + Math.min(counted, most), isExact: counted <= most }
}

/** The statement of `countUpTo`: it counts one row more than `most`. */
export function countUpToQuery(
  filter: IntentFilters,
  heads: ChainHeads,
  most = MOST_COUNTED,
): RawBuilder<{ kept: number; counted: number }> {
  const parts = ([filter].flat() as IntentFilter[]).map((one) => partsOf(one, heads))
  const kept = [sql`0`, ...parts.flatMap(({ count }) => count ?? [])]
  const limit = Number.isFinite(most) ? sql`limit ${sql.lit(most + 1)}` : sql``
  const found = parts
    .flatMap(({ left }) => left)
    .map((where) => sql`(select 1 from cairn.intent as intent where ${where} ${limit})`)
  const all = sql`select 1 from (${sql.join(found, sql` union all `)}) as found ${limit}`
  const counted = found.length === 0 ? sql`0` : sql`(select count(*) from (${all}) as counted)`
  return sql`select (${sql.join(kept, sql` + `)})::bigint as kept, ${counted}::bigint as counted`
}

type Parts = { count: RawBuilder<unknown> | null; left: readonly RawBuilder<unknown>[] }

function partsOf(filter: IntentFilter, heads: ChainHeads): Parts {
  const known = keptCount(filter)
  if (known === null) return { count: null, left: filterBranches(filter, heads) }
  const { count, isLeft } = known
  return { count, left: isLeft === null ? [] : filterBranches(filter, heads, isLeft) }
}
