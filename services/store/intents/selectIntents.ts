import { type RawBuilder, sql } from 'kysely'
import { STATUSES, type Status } from '../../../core/intent/status.ts'
import {
  branchSql,
  STATUS_BRANCHES,
  type StatusBranch,
  type StatusSqlInputs,
} from '../../../core/intent/statusBranches.ts'
import { validDeliverySql } from '../../../core/intent/statusSql.ts'
import type { ChainHeads } from '../chains/chainHeads.ts'
import { filterConditions, type IntentFilter } from './intentFilter.ts'

/** A filter, or several of which no intent passes two: any of them will do. */
export type IntentFilters = IntentFilter | readonly IntentFilter[]

/**
 * The ways in which an intent can pass a filter, as `where` conditions on a row aliased `intent`
 * that no two rows share: one for each branch of each wanted status, or a single one when the status
 * doesn't matter. Empty when nothing can pass.
 */
export function filterBranches(filters: IntentFilters, heads: ChainHeads): RawBuilder<unknown>[] {
  return [filters].flat().flatMap((filter: IntentFilter) => branchesOfOne(filter, heads))
}

function branchesOfOne(filter: IntentFilter, heads: ChainHeads): RawBuilder<unknown>[] {
  const left = (filter.not ?? []).map((one) => sql`(${passesSql(one, heads)}) is not true`)
  const common = [...filterConditions(filter), ...left]
  const any = filter.statuses === undefined || new Set(filter.statuses).size === STATUSES.length
  if (any) return [conjunction(common)]
  const sqlInputs = statusInputs(heads)
  return branchesOf(filter.statuses ?? []).map((branch) =>
    conjunction([
      sql.raw(branchSql(branch, sqlInputs)),
      sql.raw(notLongOver(branch, heads)),
      ...common,
    ]),
  )
}

/** A whole filter as one condition. What is null passes no filter on it. */
function passesSql(filter: IntentFilter, heads: ChainHeads): RawBuilder<unknown> {
  const ways = branchesOfOne(filter, heads).map((way) => sql`(${way})`)
  return ways.length === 0 ? sql`false` : sql.join(ways, sql` or `)
}

function branchesOf(statuses: readonly Status[]): StatusBranch[] {
  return [...new Set(statuses)].flatMap((word) => STATUS_BRANCHES[word])
}

/**
 * Follows from the branch's own condition, and lets the index on end_time answer it: auctions that
 * run are few, while those that expired and were never refunded pile up in the same phase.
 */
function notLongOver({ deadline }: StatusBranch, heads: ChainHeads): string {
  if (!deadline || deadline.passed || deadline.clock !== 'source' || heads.size === 0) return 'true'
  const slowest = Math.min(...[...heads.values()].map(({ timestamp }) => timestamp))
  if (deadline.column === 'end_time') return `intent.end_time > ${BigInt(slowest)}`
  const windows = [...heads.values()].map(({ pickupWindow }) => pickupWindow ?? Number.NaN)
  const longest = Math.max(...windows)
  return Number.isNaN(longest) ? 'true' : `intent.end_time > ${BigInt(slowest - 2 * longest)}`
}

/**
 * The status rule's inputs, with the given heads' times written into the statement: numbers of ours,
 * never anybody's input. The same heads then give each row's status, so filter and answer agree.
 */
export function statusInputs(heads: ChainHeads): StatusSqlInputs {
  return {
    intent: 'intent',
    // In a select of its own it is looked up by index for each row; bare, PostgreSQL would rather
    // hash all deliveries there are.
    delivered: `(select ${validDeliverySql('intent')})`,
    sourceClock: clockSql('intent.source_chain_id', heads),
    destClock: clockSql('intent.dest_chain_id', heads),
  }
}

function clockSql(chainColumn: string, heads: ChainHeads): string {
  if (heads.size === 0) return 'null::bigint'
  const cases = [...heads].map(
    ([id, { timestamp }]) => `when ${BigInt(id)} then ${BigInt(timestamp)}`,
  )
  return `(case ${chainColumn} ${cases.join(' ')} end)`
}

function conjunction(conditions: RawBuilder<unknown>[]): RawBuilder<unknown> {
  return conditions.length === 0 ? sql`true` : sql.join(conditions, sql` and `)
}
