import { refund } from '../../../core/intent/refund.ts'
import type { RefundStatus } from '../../../core/intent/refundBranches.ts'
import { status } from '../../../core/intent/status.ts'
import type { ChainHeads } from '../chains/chainHeads.ts'
import type { IntentFilter, Range } from '../intents/intentFilter.ts'
import type { StoredIntent } from '../intents/storedIntent.ts'

/** Whether an intent, as it stood, passes what a filter says of things that change. The rest is up to SQL. */
export function passesFilter(
  stored: StoredIntent,
  filter: IntentFilter,
  heads: ChainHeads,
): boolean {
  const { source } = stored
  const { statuses, refunds, solver, bestBidder, feeBps, updatedAt, settledAt, fee } = filter
  return (
    (solver === undefined || source.solver === solver) &&
    (bestBidder === undefined || source.bestBidder === bestBidder) &&
    (feeBps === undefined || source.feeBps === feeBps) &&
    isIn(source.updatedAt, updatedAt) &&
    isIn(source.settledAt, settledAt) &&
    isIn(source.fee, fee) &&
    (statuses === undefined || statuses.includes(status(stored, heads).status)) &&
    (refunds === undefined || hasRefund(stored, refunds, heads))
  )
}

/** Whether a filter asks for anything that changes in an intent's life. */
export function asksForChange({
  statuses,
  refunds,
  solver,
  bestBidder,
  feeBps,
  updatedAt,
  settledAt,
  fee,
}: IntentFilter): boolean {
  const changing = [statuses, refunds, solver, bestBidder, feeBps, updatedAt, settledAt, fee]
  return changing.some((wanted) => wanted !== undefined)
}

function hasRefund(
  stored: StoredIntent,
  wanted: readonly RefundStatus[],
  heads: ChainHeads,
): boolean {
  const settlementGrace = heads.get(stored.source.sourceChainId)?.settlementGrace
  if (settlementGrace === undefined) return false
  const owed = refund(stored, heads, { settlementGrace })
  return owed !== null && wanted.includes(owed.status)
}

/** A missing value is in no range. */
function isIn<Value extends number | bigint>(
  value: Value | null,
  range: Range<Value> | undefined,
): boolean {
  if (range === undefined) return true
  const { from = Number.NEGATIVE_INFINITY, to = Number.POSITIVE_INFINITY } = range
  return value !== null && value >= from && value <= to
}
