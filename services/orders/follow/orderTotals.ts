import type { OrderState } from '../../../core/order/orderState.ts'

/** Tranches of all orders. Failed ones, whose winner didn't deliver, count as refunded too. */
export type OrderTotals = { fired: number; settled: number; refunded: number; failed: number }

export const NO_TOTALS: OrderTotals = { fired: 0, settled: 0, refunded: 0, failed: 0 }

/** The totals after an order has changed. */
export function addToTotals(
  totals: OrderTotals,
  before: OrderState | null,
  after: OrderState,
): OrderTotals {
  const [removed, added] = [before === null ? NO_TOTALS : totalsOf(before), totalsOf(after)]
  const sum = (key: keyof OrderTotals) => totals[key] + added[key] - removed[key]
  return {
    fired: sum('fired'),
    settled: sum('settled'),
    refunded: sum('refunded'),
    failed: sum('failed'),
  }
}

function totalsOf({ facts, tranches }: OrderState): OrderTotals {
  return {
    fired: facts.tranchesFired,
    settled: facts.tranchesCompleted,
    refunded: facts.tranchesRefunded,
    failed: tranches.filter(({ outcome }) => outcome === 'failed').length,
  }
}
