import { nextLookAt } from '../../../core/order/decideOrder.ts'
import type { OrderState } from '../../../core/order/orderState.ts'

const known = new WeakMap<OrderState, number | null>()

/** When to look at an order next: `nextLookAt`, cached, since few of ten thousand orders change. */
export function lookAt(order: OrderState): number | null {
  let at = known.get(order)
  if (at === undefined) {
    at = nextLookAt(order)
    known.set(order, at)
  }
  return at
}
