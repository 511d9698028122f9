import { type RawBuilder, sql } from 'kysely'
import { STATUSES, type Status } from '../../../core/intent/status.ts'
import { STATUS_BRANCHES, type StatusBranch } from '../../../core/intent/statusSql.ts'
import type { Phase } from '../../../src/intent/facts.ts'
import { filterConditions, type IntentFilter } from './intentFilter.ts'

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
export function keptCount(filter: IntentFilter): KeptCount | null {
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

function branchesOf(statuses: readonly Status[]): StatusBranch[] {
  return [...new Set(statuses)].flatMap((word) => STATUS_BRANCHES[word])
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
