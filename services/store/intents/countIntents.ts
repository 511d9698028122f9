import { type RawBuilder, sql } from 'kysely'
import { STATUSES } from '../../../core/intent/status.ts'
import type { StatusBranch } from '../../../core/intent/statusSql.ts'
import type { Phase } from '../../../src/intent/intentFacts.ts'
import type { ChainHeads } from '../chains/readChainStates.ts'
import { listOf } from '../database/filterSql.ts'
import type { Db } from '../database/openDatabase.ts'
import { PAIR } from '../pairs/pairFilter.ts'
import { filterConditions, type IntentFilter } from './intentFilter.ts'
import { branchesOf, type IntentFilters, splitIntentFilter } from './splitIntentFilter.ts'

/** Counts the intents that pass a filter, exactly, however long that takes. `heads` as for `listIntents`. */
export async function countIntents(
  db: Db,
  filter: IntentFilters,
  heads: ChainHeads,
): Promise<number> {
  return (await countUpTo(db, filter, heads, Number.POSITIVE_INFINITY)).count
}

export type IntentCount = {
  count: number
  /** False if counting stopped at the limit, so that there are more. */
  isExact: boolean
}

/** Default limits on intents counted one by one: those that need their deliveries take ten times as long. */
const COUNT_LIMIT = 10_000
const COUNT_LIMIT_WITH_DELIVERIES = 1_000

/**
 * Counts the intents that pass a filter in bounded time: adds up the reducer's counters where they cover it, and counts the
 * remaining rows up to a limit. `heads` as for `listIntents`.
 */
export async function countUpTo(
  db: Db,
  filter: IntentFilters,
  heads: ChainHeads,
  limit = defaultLimit(listOf<IntentFilter>(filter)),
): Promise<IntentCount> {
  const parts = listOf<IntentFilter>(filter).map((one) => partsOf(one, heads))
  const counters = [sql`0`, ...parts.flatMap(({ counter }) => counter ?? [])]
  // One more than the limit shows that there are more.
  const limitSql = Number.isFinite(limit) ? sql`limit ${sql.lit(limit + 1)}` : sql``
  const selects = parts
    .flatMap(({ uncounted }) => uncounted)
    .map((where) => sql`(select 1 from cairn.intent as intent where ${where} ${limitSql})`)
  const all = sql`select 1 from (${sql.join(selects, sql` union all `)}) as found ${limitSql}`
  const rest = selects.length === 0 ? sql`0` : sql`(select count(*) from (${all}) as counted)`
  const { rows } = await sql<{ summed: number; counted: number }>`
    select (${sql.join(counters, sql` + `)})::bigint as summed, ${rest}::bigint as counted`.execute(
    db,
  )
  const { summed = 0, counted = 0 } = rows[0] ?? {}
  return { count: summed + Math.min(counted, limit), isExact: counted <= limit }
}

function defaultLimit(filters: readonly IntentFilter[]): number {
  const needsDeliveries = filters.some(
    ({ statuses = [], refunds = [] }) =>
      refunds.includes('waiting') ||
      branchesOf(statuses).some(({ delivered }) => delivered !== null),
  )
  return needsDeliveries ? COUNT_LIMIT_WITH_DELIVERIES : COUNT_LIMIT
}

type Parts = { counter: RawBuilder<unknown> | null; uncounted: readonly RawBuilder<unknown>[] }

function partsOf(filter: IntentFilter, heads: ChainHeads): Parts {
  const covered = coveredCount(filter)
  if (covered === null) return { counter: null, uncounted: splitIntentFilter(filter, heads) }
  const { counter, isUncounted } = covered
  const uncounted = isUncounted === null ? [] : splitIntentFilter(filter, heads, isUncounted)
  return { counter, uncounted }
}

/** The part of a filter's count that the reducer's counters cover. */
type CoveredCount = {
  counter: RawBuilder<unknown>
  /** Selects the status branches that they don't cover; null if there is none. */
  isUncounted: ((branch: StatusBranch) => boolean) | null
}

/** A table of counters. */
type Source = {
  table: string
  /** Filter fields that are columns of the table. */
  fields: ReadonlySet<string>
  all: string
  phases: { readonly [P in Phase]?: string }
  conditions: (filter: IntentFilter) => RawBuilder<unknown>[]
}

const BY_PAIR: Source = {
  table: 'cairn.pair_day',
  fields: new Set(PAIR),
  all: 'created',
  phases: { completed: 'completed', cancelled: 'cancelled', expired: 'expired', failed: 'failed' },
  conditions: filterConditions,
}

/** Counters of the intents that a solver has won. */
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

/** The covered part of a filter's count; null if every row has to be counted. */
function coveredCount(filter: IntentFilter): CoveredCount | null {
  const { statuses, ...rest } = filter
  const used = Object.entries(rest).flatMap(([name, value]) => (value === undefined ? [] : name))
  const source = filter.solver === undefined ? BY_PAIR : BY_SOLVER
  if (!used.every((name) => source.fields.has(name))) return null
  if (statuses === undefined || new Set(statuses).size === STATUSES.length)
    return { counter: sumOf(source, [source.all], filter), isUncounted: null }
  const branches = branchesOf(statuses)
  const columns = branches.flatMap((branch) => counterColumn(source, branch) ?? [])
  if (columns.length === 0) return null
  const isUncounted = (branch: StatusBranch) => counterColumn(source, branch) === null
  return {
    counter: sumOf(source, columns, filter),
    isUncounted: branches.some(isUncounted) ? isUncounted : null,
  }
}

/** Counters exist for what the phase alone decides, not for what depends on time or on the other chain. */
function counterColumn(
  source: Source,
  { phase, deadline, delivered }: StatusBranch,
): string | null {
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
