import type { Phase } from '../../src/intent/intentFacts.ts'
import type { Refund } from './refundStatus.ts'
import type { StatusSqlInputs } from './statusSql.ts'

export type RefundStatus = Refund['status']

export const REFUND_STATUSES = ['waiting', 'due', 'done'] as const satisfies readonly RefundStatus[]

/** The parts of a refund's SQL. All are trusted text, never input. */
export type RefundSqlInputs = StatusSqlInputs & {
  /** Expression: settlementGrace of the source chain's bridge; null if unknown. */
  grace: string
}

/** One condition of a refund status: a phase, and what else must hold. */
type RefundBranch = { phase: Phase; sql(inputs: RefundSqlInputs): string }

/**
 * `deriveRefund` for the database. As in `STATUS_BRANCHES`, each branch selects one value of `phase`, for the index,
 * and no two overlap; intents without a refund are in none.
 */
export const REFUND_BRANCHES: { readonly [Word in RefundStatus]: readonly RefundBranch[] } = {
  waiting: [
    {
      phase: 'deposited',
      sql: (inputs) =>
        `(${inputs.destClock} >= ${inputs.intent}.fill_deadline) IS TRUE AND NOT ${inputs.delivered}
          AND (${afterGrace(inputs)}) IS NOT TRUE`,
    },
  ],
  due: [
    { phase: 'open', sql: (inputs) => `(${afterAuction(inputs)}) IS TRUE` },
    { phase: 'bidding', sql: (inputs) => `(${afterAuction(inputs)}) IS TRUE` },
    { phase: 'deposited', sql: (inputs) => `(${afterGrace(inputs)}) IS TRUE` },
  ],
  done: [phaseAlone('cancelled'), phaseAlone('expired'), phaseAlone('failed')],
}

/** A branch as a boolean SQL expression, including its phase. */
export function buildRefundBranchSql(
  { phase, sql }: RefundBranch,
  inputs: RefundSqlInputs,
): string {
  return `${inputs.intent}.phase = '${phase}' AND ${sql(inputs)}`
}

function afterAuction({ intent, sourceClock }: RefundSqlInputs): string {
  return `${sourceClock} >= CASE WHEN ${intent}.bid_count = 0 THEN ${intent}.end_time
    ELSE ${intent}.pickup_deadline END`
}

function afterGrace({ intent, sourceClock, grace }: RefundSqlInputs): string {
  return `${sourceClock} >= ${intent}.fill_deadline + ${grace}`
}

function phaseAlone(phase: Phase): RefundBranch {
  return { phase, sql: () => 'TRUE' }
}
