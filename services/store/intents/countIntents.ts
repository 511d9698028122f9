import { type RawBuilder, sql } from 'kysely'
import { STATUSES } from '../../../core/intent/status.ts'
import type { StatusBranch } from '../../../core/intent/statusSql.ts'
import type { Phase } from '../../../src/intent/facts.ts'
import type { ChainHeads } from '../chains/readChainStates.ts'
import type { Db } from '../database/database.ts'
import { branchesOf, filterBranches, type IntentFilters } from './filterBranches.ts'
import { filterConditions, type IntentFilter } from './intentFilter.ts'

/** How many intents pass a filter, exactly, however long that takes. `heads` as for `listIntents`. */
export async function countIntents(
  db: Db,
  filter: IntentFilters,
  heads: ChainHeads,
): Promise<number> {
  return (await countUpTo(db, filter, heads, Number.POSITIVE_INFINITY)).count
}

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
  const parts = ([filter].flat() as IntentFilter[]).map((one) => partsOf(one, heads))
  const counts = [sql`0`, ...parts.flatMap(({ count }) => count ?? [])]
  // One more than `most`: it is known that there are more.
  const limit = Number.isFinite(most) ? sql`limit ${sql.lit(most + 1)}` : sql``
  const found = parts
    .flatMap(({ left }) => left)
    .map((where) => sql`(select 1 from cairn.intent as intent where ${where} ${limit})`)
  const all = sql`select 1 from (${sql.join(found, sql` union all `)}) as found ${limit}`
  const rest = found.length === 0 ? sql`0` : sql`(select count(*) from (${all}) as counted)`
  const { rows } = await sql<{ kept: number; counted: number }>`
    select (${sql.join(counts, sql` + `)})::bigint as kept, ${rest}::bigint as counted`.execute(db)
  const { kept = 0, counted = 0 } = rows[0] ?? {}
  return { count: kept + Math.min(counted, most), isExact: counted <= most }
}

type Parts = { count: RawBuilder<unknown> | null; left: readonly RawBuilder<unknown>[] }

function partsOf(filter: IntentFilter, heads: ChainHeads): Parts {
  const known = keptCount(filter)
  if (known === null) return { count: null, left: filterBranches(filter, heads) }
  const { count, isLeft } = known
  return { count, left: isLeft === null ? [] : filterBranches(filter, heads, isLeft) }
}

/** What the reducer has counted of the intents that pass a filter. */
type KeptCount = {
  count: RawBuilder<unknown>
  /** Ways to have one of the filter's statuses that it doesn't count; null when there is none. */
  isLeft: ((branch: StatusBranch) => boolean) | null
}

/** Counts that are kept of the intents with certain fields, by the columns that hold them. */
type Source = {
  table: string
  /** Fields of a filter by which it counts. */
  fields: ReadonlySet<string>
  all: string
  phases: { readonly [P in Phase]?: string }
  conditions: (filter: IntentFilter) => RawBuilder<unknown>[]
}

const BY_PAIR: Source = {
  table: 'cairn.pair_day',
  fields: new Set(['sourceChainId', 'destChainId', 'tokenA', 'tokenB']),
  all: 'created',
  phases: { completed: 'completed', cancelled: 'cancelled', expired: 'expired', failed: 'failed' },
  conditions: filterConditions,
}

/** A solver's intents are those that it won. */
const BY_SOLVER: Source = {
  table: 'cairn.solver_record',
  fields: new Set(['sourceChainId', 'solver']),
  all: 'wins',
  phases: { completed: 'settlements' },
  conditions: ({ solver, sourceChainId }) => [
    sql`intent.solver = ${solver}`,
    ...(sourceChainId === undefined ? [] : [sql`intent.chain_id = ${sourceChainId}`]),
  ],
}

/** The kept part of a filter's count; null when every row has to be looked at. */
function keptCount(filter: IntentFilter): KeptCount | null {
  const { statuses, ...rest } = filter
  const named = Object.entries(rest).flatMap(([name, value]) => (value === undefined ? [] : name))
  const source = filter.solver === undefined ? BY_PAIR : BY_SOLVER
  if (!named.every((name) => source.fields.has(name))) return null
  if (statuses === undefined || new Set(statuses).size === STATUSES.length)
    return { count: sumOf(source, [source.all], filter), isLeft: null }
  const branches = branchesOf(statuses)
  const columns = branches.flatMap((branch) => keptColumn(source, branch) ?? [])
  if (columns.length === 0) return null
  const isLeft = (branch: StatusBranch) => keptColumn(source, branch) === null
  return { count: sumOf(source, columns, filter), isLeft: branches.some(isLeft) ? isLeft : null }
}

/** What a phase alone decides is counted; what depends on time or on the other chain isn't. */
function keptColumn(source: Source, { phase, deadline, delivered }: StatusBranch): string | null {
  return deadline === null && delivered === null ? (source.phases[phase] ?? null) : null
}

function sumOf(
  { table, conditions }: Source,
  columns: readonly string[],
  filter: IntentFilter,
): RawBuilder<unknown> {
  const where = sql.join([sql`true`, ...conditions(filter)], sql` and `)
  const sum = sql.raw(`coalesce(sum(${columns.join(' + ')}), 0)`)
  return sql`(select ${sum} from ${sql.raw(table)} as intent where ${where})`
}
