import { timeOfNextCheck } from '../../../core/order/decideOrder.ts'
import type { OrderState } from '../../../core/order/orderState.ts'

const known = new WeakMap<OrderState, number | null>()

/** When to look at an order next: `timeOfNextCheck`, cached, since few of ten thousand orders change. */
export function nextCheckAt(order: OrderState): number | null {
  let at = known.get(order)
  if (at === undefined) {
    at = timeOfNextCheck(order)
    known.set(order, at)
  }
  return at
}
