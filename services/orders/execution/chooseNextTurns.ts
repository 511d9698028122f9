import type { OrderState } from '../../../core/order/orderState.ts'
import { deriveOrderStatus } from '../../../core/order/orderStatus.ts'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import type { Step } from '../ordersContext.ts'

/** Steps per round, so that the chain is read again in between. */
const MAX_STEPS = 200

/** Closings among them while tranches are due: they aren't urgent, and thousands of one owner's orders can end at once. */
const MAX_CLOSINGS = 50

/** The orders of the next round: those that were handled the longest ago, or never. */
export function chooseNextTurns(
  due: readonly OrderState[],
  steps: ReadonlyMap<Hex, Pick<Step, 'checkAt'>>,
  now: number,
): OrderState[] {
  const lastCheck = ({ facts }: OrderState) => steps.get(facts.orderId)?.checkAt ?? 0
  const inTurn = due.toSorted((one, other) => lastCheck(one) - lastCheck(other))
  const isActive = ({ facts }: OrderState) => deriveOrderStatus(facts, now).status === 'active'
  const { tranches = [], closings = [] } = Object.groupBy(inTurn, (order) =>
    isActive(order) ? 'tranches' : 'closings',
  )
  const mostTranches = MAX_STEPS - Math.min(closings.length, MAX_CLOSINGS)
  return [...tranches.slice(0, mostTranches), ...closings].slice(0, MAX_STEPS)
}
