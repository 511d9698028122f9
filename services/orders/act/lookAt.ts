import { nextLookAt } from '../../../core/order/decideOrder.ts'
import type { OrderState } from '../../../core/order/orderState.ts'

const known = new WeakMap<OrderState, number | null>()

/** When an order is to be looked at: `nextLookAt`, remembered, since of ten thousand orders few have changed. */
export function lookAt(order: OrderState): number | null {
  let at = known.get(order)
  if (at === undefined) {
    at = nextLookAt(order)
    known.set(order, at)
  }
  return at
}
