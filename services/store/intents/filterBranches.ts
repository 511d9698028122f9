import { type RawBuilder, sql } from 'kysely'
import { REFUND_BRANCHES, refundBranchSql } from '../../../core/intent/refundSql.ts'
import { STATUSES, type Status } from '../../../core/intent/status.ts'
import {
  branchSql,
  STATUS_BRANCHES,
  type StatusBranch,
  type StatusSqlInputs,
} from '../../../core/intent/statusSql.ts'
import { validDeliverySql } from '../../../core/intent/validDeliverySql.ts'
import type { Phase } from '../../../src/intent/facts.ts'
import type { ChainHeads } from '../chains/readChainStates.ts'
import { byChainSql, waysSql } from '../database/filterSql.ts'
import { filterConditions, type IntentFilter } from './intentFilter.ts'

/** A filter, or several of which no intent passes two: any of them will do. */
export type IntentFilters = IntentFilter | readonly IntentFilter[]

/**
 * The ways in which an intent can pass a filter, as `where` conditions on a row aliased `intent`
 * that no two rows share: one for each branch of each requested status or refund, or a single one when neither
 * matters. Empty when nothing can pass.
 *
 * @param isMeant of the statuses' branches only these. Not for filters with others inside.
 */
export function filterBranches(
  filters: IntentFilters,
  heads: ChainHeads,
  isMeant: IsMeant = () => true,
): RawBuilder<unknown>[] {
  return waysSql<IntentFilter>(filters, (filter) => waysOfOne(filter, heads, isMeant))
}

type IsMeant = (branch: StatusBranch) => boolean

function waysOfOne(
  filter: IntentFilter,
  heads: ChainHeads,
  isMeant: IsMeant,
): RawBuilder<unknown>[][] {
  const common = filterConditions(filter)
  return phaseWays(filter, heads, isMeant).map(({ conditions }) => [...conditions, ...common])
}

/** How many ways there are to pass a filter. */
export function countWays(filter: IntentFilter): number {
  return phaseWays(filter, new Map(), () => true).length
}

/** A way to have a status or a refund: in one phase, or in any. */
type PhaseWay = { phase: Phase | null; conditions: RawBuilder<unknown>[] }

/** Without statuses or refunds there is one way, without conditions. */
function phaseWays(
  { statuses, refunds }: IntentFilter,
  heads: ChainHeads,
  isMeant: IsMeant,
): PhaseWay[] {
  const any = statuses === undefined || new Set(statuses).size === STATUSES.length
  const ways = any
    ? [{ phase: null, conditions: [] }]
    : statusWays(branchesOf(statuses).filter(isMeant), heads)
  if (refunds === undefined) return ways
  const inputs = {
    ...statusInputs(heads),
    grace: byChainSql('intent.source_chain_id', heads, ({ settlementGrace }) => settlementGrace),
  }
  const branches = [...new Set(refunds)].flatMap((word) => REFUND_BRANCHES[word])
  return branches.flatMap((branch) =>
    ways
      .filter(({ phase }) => phase === null || phase === branch.phase)
      .map(({ conditions }) => ({
        phase: branch.phase,
        conditions: [...conditions, sql.raw(refundBranchSql(branch, inputs))],
      })),
  )
}

function statusWays(branches: readonly StatusBranch[], heads: ChainHeads): PhaseWay[] {
  const inputs = statusInputs(heads)
  return branches.map((branch) => ({
    phase: branch.phase,
    conditions: [sql.raw(branchSql(branch, inputs)), sql.raw(notLongOver(branch, heads))],
  }))
}

/** The ways to have one of the statuses, each once. */
export function branchesOf(statuses: readonly Status[]): StatusBranch[] {
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
 * The status rule's inputs, with the given heads' times written into the statement: our own
 * numbers, never input. The same heads then give each row's status, so filter and answer agree.
 */
function statusInputs(heads: ChainHeads): StatusSqlInputs {
  return {
    intent: 'intent',
    // In a select of its own it is looked up by index for each row; bare, PostgreSQL would rather
    // hash all deliveries there are.
    delivered: `(select ${validDeliverySql('intent')})`,
    sourceClock: byChainSql('intent.source_chain_id', heads, ({ timestamp }) => timestamp),
    destClock: byChainSql('intent.dest_chain_id', heads, ({ timestamp }) => timestamp),
  }
}
