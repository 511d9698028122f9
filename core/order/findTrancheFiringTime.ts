import { findNextTrancheTime } from './findNextTrancheTime.ts'
import type { OrderState } from './orderState.ts'

/** Consecutive undelivered tranches before the service slows down. */
export const FAILURES_IN_A_ROW = 3

/** Longest wait, in periods. */
const MAX_PERIODS = 64

/**
 * When the service fires an order's next tranche, in unix seconds of its chain; null when none can be fired before the
 * end.
 *
 * One tranche per period: the service doesn't catch up by firing faster, since an owner who spreads an order over time
 * doesn't want it bought at once. Missed tranches move to later periods, and what is left at the end returns to the
 * owner. Never earlier than the vault allows.
 *
 * After three undelivered tranches in a row it waits two periods, then four, and so on: each costs gas, and there may
 * be no market.
 */
export function findTrancheFiringTime(state: OrderState): number | null {
  const { facts } = state
  const soonest = findNextTrancheTime(facts)
  if (soonest === null || facts.lastFiredAt === null) return soonest
  const { firstAt, period, lastFiredAt, endTime } = facts
  const lastPeriod = Math.floor((lastFiredAt - firstAt) / period)
  const due = Math.max(soonest, firstAt + (lastPeriod + countPeriodsToWait(state)) * period)
  return due < endTime ? due : null
}

/** Number of latest ended tranches that were refunded because nobody delivered them. */
export function countFailuresInARow({ tranches }: Pick<OrderState, 'tranches'>): number {
  const over = tranches.filter(({ outcome }) => outcome !== 'open')
  const lastGood = over.findLastIndex(
    ({ outcome }) => outcome === 'settled' || outcome === 'cancelled',
  )
  return over.length - 1 - lastGood
}

function countPeriodsToWait(state: OrderState): number {
  const excess = countFailuresInARow(state) - FAILURES_IN_A_ROW + 1
  return excess <= 0 ? 1 : Math.min(2 ** Math.min(excess, 30), MAX_PERIODS)
}
