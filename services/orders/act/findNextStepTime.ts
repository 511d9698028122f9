import { findNextCheckTime } from '../../../core/order/decideOrderAction.ts'
import type { OrderState } from '../../../core/order/orderState.ts'

const cache = new WeakMap<OrderState, number | null>()

/** When an order's next step may be due. Cached, since few of ten thousand orders change between rounds. */
export function findNextStepTime(order: OrderState): number | null {
  let at = cache.get(order)
  if (at === undefined) {
    at = findNextCheckTime(order)
    cache.set(order, at)
  }
  return at
}
