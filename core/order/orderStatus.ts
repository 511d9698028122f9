import type { OrderFacts, StopReason } from '../../src/order/orderFacts.ts'

/** An order's status, in the specification's words. */
export type OrderStatusWord = 'active' | 'completed' | 'cancelled'

export const ORDER_STATUSES: readonly OrderStatusWord[] = ['active', 'completed', 'cancelled']

export type OrderStatus = {
  status: OrderStatusWord
  /** Why it stopped; null while it is active. */
  stopReason: StopReason | null
  /** The vault has paid the rest to the owner. An order that stopped by schedule or clock isn't closed yet. */
  isClosed: boolean
}

/** The facts that decide an order's status. */
type Decisive = Pick<OrderFacts, 'closeReason' | 'remaining' | 'amountPerPeriod' | 'endTime'>

/**
 * An order's status, from its chain's events and clock (unix seconds). An order stops when too little is left for a
 * tranche, at its end time, or when it is closed earlier. Without a clock (null), nothing is late.
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
