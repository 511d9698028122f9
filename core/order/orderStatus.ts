import type { OrderFacts, StopReason } from '../../src/order/orderFacts.ts'

/** An order's status, in the specification's words. */
export type OrderStatusWord = 'active' | 'completed' | 'cancelled'

export const ORDER_STATUSES: readonly OrderStatusWord[] = ['active', 'completed', 'cancelled']

export type OrderStatus = {
  status: OrderStatusWord
  /** Why it stopped; null while it is active. */
  stopReason: StopReason | null
  /**
   * The vault has paid what was left to the owner. An order that schedule or clock has stopped isn't closed
   * yet.
   */
  isClosed: boolean
}

/** What decides an order's status. */
type Decisive = Pick<OrderFacts, 'closeReason' | 'remaining' | 'amountPerPeriod' | 'endTime'>

/**
 * Status of an order, from its chain's events and clock (unix seconds). An order stops when too little is
 * left for a tranche, at its end time, or when it is closed before either. A chain without a clock (null) has
 * no time: nothing on it is late yet.
 */
export function deriveOrderStatus(order: Decisive, now: number | null): OrderStatus {
  const stopReason = findStopReason(order, now)
  return {
    status: stopReason === null ? 'active' : toStatusWord(stopReason),
    stopReason,
    isClosed: order.closeReason !== null,
  }
}

function findStopReason(order: Decisive, now: number | null): StopReason | null {
  if (order.closeReason !== null) return order.closeReason
  if (order.remaining < order.amountPerPeriod) return 'filled'
  return now !== null && now >= order.endTime ? 'end_time' : null
}

function toStatusWord(reason: StopReason): OrderStatusWord {
  return reason === 'user_cancel' ? 'cancelled' : 'completed'
}
