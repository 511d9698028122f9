import { findNextTrancheTime } from './nextTrancheAt.ts'
import type { OrderState } from './orderState.ts'

/** Tranches that came back one after the other before the service slows down. */
export const FAILURES_IN_A_ROW = 3

/** Periods that it waits for at most. */
const MAX_PERIODS = 64

/**
 * When the service fires an order's next tranche, in unix seconds of its chain; null when none is left to
 * fire before the end.
 *
 * One tranche a period: the service doesn't make up for what it missed by firing faster, since an owner
 * who spreads an order over time doesn't want it bought at once. Missed tranches move to later periods,
 * and what is left at the end goes back to the owner. Never before the vault would take it.
 *
 * After three undelivered tranches in a row it waits two periods, then four, and so on: each of them
 * costs gas, and the market may not be there.
 */
export function findDueTime(state: OrderState): number | null {
  const { facts } = state
  const soonest = findNextTrancheTime(facts)
  if (soonest === null || facts.lastFiredAt === null) return soonest
  const { firstAt, period, lastFiredAt, endTime } = facts
  const lastPeriod = Math.floor((lastFiredAt - firstAt) / period)
  const due = Math.max(soonest, firstAt + (lastPeriod + countPeriodsToWait(state)) * period)
  return due < endTime ? due : null
}

/** How many of the latest tranches that are over came back because nobody delivered them. */
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
