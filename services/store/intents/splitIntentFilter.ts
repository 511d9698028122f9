import { type RawBuilder, sql } from 'kysely'
import { buildValidDeliverySql } from '../../../core/intent/buildValidDeliverySql.ts'
import { buildRefundBranchSql, REFUND_BRANCHES } from '../../../core/intent/refundSql.ts'
import { STATUSES, type Status } from '../../../core/intent/status.ts'
import {
  buildStatusBranchSql,
  STATUS_BRANCHES,
  type StatusBranch,
  type StatusSqlInputs,
} from '../../../core/intent/statusSql.ts'
import type { Phase } from '../../../src/intent/intentFacts.ts'
import type { ChainHeads } from '../chains/readChainStates.ts'
import { branchesSql, byChainSql } from '../database/filterSql.ts'
import { filterConditions, type IntentFilter } from './intentFilter.ts'

/** A filter, or several alternatives of which no two match the same intent. */
export type IntentFilters = IntentFilter | readonly IntentFilter[]

/**
 * The disjoint `where` conditions, on a row aliased `intent`, under which intents pass a filter: one for each branch of each
 * requested status or refund, or a single one without these. Empty if nothing can pass.
 *
 * @param isIncluded selects branches of the statuses; not for filters with nested ones
 */
export function splitIntentFilter(
  filters: IntentFilters,
  heads: ChainHeads,
  isIncluded: IsIncluded = () => true,
): RawBuilder<unknown>[] {
  return branchesSql<IntentFilter>(filters, (filter) => branchesOfFilter(filter, heads, isIncluded))
}

type IsIncluded = (branch: StatusBranch) => boolean

function branchesOfFilter(
  filter: IntentFilter,
  heads: ChainHeads,
  isIncluded: IsIncluded,
): RawBuilder<unknown>[][] {
  const common = filterConditions(filter)
  return phaseBranches(filter, heads, isIncluded).map(({ conditions }) => [
    ...conditions,
    ...common,
  ])
}

export function countBranches(filter: IntentFilter): number {
  return phaseBranches(filter, new Map(), () => true).length
}

/** A branch of a status or refund, in one phase or in any. */
type PhaseBranch = { phase: Phase | null; conditions: RawBuilder<unknown>[] }

/** A single branch without conditions if there are neither statuses nor refunds. */
function phaseBranches(
  { statuses, refunds }: IntentFilter,
  heads: ChainHeads,
  isIncluded: IsIncluded,
): PhaseBranch[] {
  const any = statuses === undefined || new Set(statuses).size === STATUSES.length
  const statusBranches = any
    ? [{ phase: null, conditions: [] }]
    : statusBranchSqls(branchesOf(statuses).filter(isIncluded), heads)
  if (refunds === undefined) return statusBranches
  const inputs = {
    ...statusInputs(heads),
    grace: byChainSql('intent.source_chain_id', heads, ({ settlementGrace }) => settlementGrace),
  }
  const branches = [...new Set(refunds)].flatMap((word) => REFUND_BRANCHES[word])
  return branches.flatMap((branch) =>
    statusBranches
      .filter(({ phase }) => phase === null || phase === branch.phase)
      .map(({ conditions }) => ({
        phase: branch.phase,
        conditions: [...conditions, sql.raw(buildRefundBranchSql(branch, inputs))],
      })),
  )
}

function statusBranchSqls(branches: readonly StatusBranch[], heads: ChainHeads): PhaseBranch[] {
  const inputs = statusInputs(heads)
  return branches.map((branch) => ({
    phase: branch.phase,
    conditions: [
      sql.raw(buildStatusBranchSql(branch, inputs)),
      sql.raw(endTimeBound(branch, heads)),
    ],
  }))
}

/** The branches of these statuses, without duplicates. */
export function branchesOf(statuses: readonly Status[]): StatusBranch[] {
  return [...new Set(statuses)].flatMap((word) => STATUS_BRANCHES[word])
}

/**
 * A bound on end_time that the branch's own condition implies and the index on end_time can use: running auctions are few,
 * while expired ones that were never refunded accumulate in the same phase.
 */
function endTimeBound({ deadline }: StatusBranch, heads: ChainHeads): string {
  if (!deadline || deadline.passed || deadline.clock !== 'source' || heads.size === 0) return 'true'
  const slowest = Math.min(...[...heads.values()].map(({ timestamp }) => timestamp))
  if (deadline.column === 'end_time') return `intent.end_time > ${BigInt(slowest)}`
  const windows = [...heads.values()].map(({ pickupWindow }) => pickupWindow ?? Number.NaN)
  const longest = Math.max(...windows)
  return Number.isNaN(longest) ? 'true' : `intent.end_time > ${BigInt(slowest - 2 * longest)}`
}

/**
 * Inputs of the status rule, with the heads' times written into the statement; never user input. The response's statuses use
 * the same heads, so filter and response agree.
 */
function statusInputs(heads: ChainHeads): StatusSqlInputs {
  return {
    intent: 'intent',
    // As a scalar subquery it is looked up by index for each row; otherwise PostgreSQL would hash all deliveries.
    delivered: `(select ${buildValidDeliverySql('intent')})`,
    sourceClock: byChainSql('intent.source_chain_id', heads, ({ timestamp }) => timestamp),
    destClock: byChainSql('intent.dest_chain_id', heads, ({ timestamp }) => timestamp),
  }
}
