import type { OrderFacts } from '../../src/order/orderFacts.ts'

/** The facts that decide when a tranche is due. */
type Schedule = Pick<
  OrderFacts,
  | 'closeReason'
  | 'remaining'
  | 'amountPerPeriod'
  | 'tranchesFired'
  | 'lastFiredAt'
  | 'firstAt'
  | 'period'
  | 'endTime'
>

/**
 * When an order's next tranche is due, in unix seconds of its chain; null when none is left to fire. The vault's own
 * rule: by the schedule, but at least half a period after the previous one, and before the end.
 */
export function findNextTrancheTime(order: Schedule): number | null {
  if (order.closeReason !== null || order.remaining < order.amountPerPeriod) return null
  const scheduled = order.firstAt + order.tranchesFired * order.period
  const apart = order.lastFiredAt === null ? 0 : order.lastFiredAt + Math.ceil(order.period / 2)
  const dueAt = Math.max(scheduled, apart)
  return dueAt < order.endTime ? dueAt : null
}
