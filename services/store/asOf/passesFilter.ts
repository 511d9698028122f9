import { refund } from '../../../core/intent/refund.ts'
import type { RefundStatus } from '../../../core/intent/refundSql.ts'
import { status } from '../../../core/intent/status.ts'
import type { ChainHeads } from '../chains/chainHeads.ts'
import { EQUAL, type IntentFilter, RANGES, type Range } from '../intents/intentFilter.ts'
import type { StoredIntent } from '../intents/storedIntent.ts'

/** Whether an intent, as it stood, passes a filter. */
export function passesFilter(
  stored: StoredIntent,
  filter: IntentFilter,
  heads: ChainHeads,
): boolean {
  const { source } = stored
  const { statuses, refunds, not = [] } = filter
  return (
    EQUAL.every((name) => filter[name] === undefined || source[name] === filter[name]) &&
    RANGES.every((name) => isIn(source[name], filter[name])) &&
    (statuses === undefined || statuses.includes(status(stored, heads).status)) &&
    (refunds === undefined || hasRefund(stored, refunds, heads)) &&
    !not.some((excluded) => passesFilter(stored, excluded, heads))
  )
}

/** Whether a filter, or one that it excludes, asks for anything that changes in an intent's life. */
export function asksForChange(filter: IntentFilter): boolean {
  const { statuses, refunds, solver, bestBidder, feeBps, updatedAt, settledAt, fee } = filter
  const changing = [statuses, refunds, solver, bestBidder, feeBps, updatedAt, settledAt, fee]
  return (
    changing.some((requested) => requested !== undefined) || (filter.not ?? []).some(asksForChange)
  )
}

/** What a filter asks for that never changes: the present row answers it for every moment. */
export function lastingPart(filter: IntentFilter): IntentFilter {
  const { statuses, refunds, solver, bestBidder, feeBps, updatedAt, settledAt, fee, ...lasting } =
    filter
  // An exclusion counts whole or not at all: a part of it would exclude more.
  return { ...lasting, not: filter.not?.filter((excluded) => !asksForChange(excluded)) }
}

function hasRefund(
  stored: StoredIntent,
  requested: readonly RefundStatus[],
  heads: ChainHeads,
): boolean {
  const settlementGrace = heads.get(stored.source.sourceChainId)?.settlementGrace
  if (settlementGrace === undefined) return false
  const owed = refund(stored, heads, { settlementGrace })
  return owed !== null && requested.includes(owed.status)
}

/** A missing value is in no range. */
function isIn(value: number | bigint | null, range: Range<number | bigint> | undefined): boolean {
  if (range === undefined) return true
  const { from = Number.NEGATIVE_INFINITY, to = Number.POSITIVE_INFINITY } = range
  return value !== null && value >= from && value <= to
}
