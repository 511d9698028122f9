import type { StopReason } from '../../src/order/orderFacts.ts'
import { findTrancheFiringTime } from './findTrancheFiringTime.ts'
import type { OrderState } from './orderState.ts'

/** A command of the service or the owner. */
type OrderCommand =
  /** The service checks whether anything is due. */
  | { type: 'advance' }
  /** The owner cancels it. */
  | { type: 'cancel' }

/** The event that follows, once the vault has executed it. */
export type OrderAction =
  | { type: 'TrancheFired'; n: number }
  | { type: 'OrderClosed'; reason: StopReason; amount: bigint }

/** Why nothing follows. */
type OrderRefusal =
  /** The owner already has its tokens back. */
  'CLOSED'

/**
 * Decides what follows from a command about an order, at a time of its chain (unix seconds). A pure function: until the
 * chain changes, it always gives the same answer.
 */
export function decideOrderAction(
  command: OrderCommand,
  state: OrderState,
  now: number,
): OrderAction[] | OrderRefusal {
  const { facts } = state
  if (facts.closeReason !== null) return command.type === 'cancel' ? 'CLOSED' : []
  const stop = findStopReason(state, command, now)
  if (stop !== null) {
    // Nothing is left to return.
    if (facts.remaining === 0n) return []
    return [{ type: 'OrderClosed', reason: stop, amount: facts.remaining }]
  }
  const due = findTrancheFiringTime(state)
  return due !== null && now >= due ? [{ type: 'TrancheFired', n: facts.tranchesFired }] : []
}

/** In the vault's order of precedence. */
function findStopReason(
  { facts }: OrderState,
  { type }: OrderCommand,
  now: number,
): StopReason | null {
  if (facts.remaining < facts.amountPerPeriod) return 'filled'
  if (now >= facts.endTime) return 'end_time'
  return type === 'cancel' ? 'user_cancel' : null
}

/** When to check an order next, in unix seconds of its chain; null when nothing will come due. */
export function findNextCheckTime(state: OrderState): number | null {
  const { facts } = state
  if (facts.closeReason !== null || facts.remaining === 0n) return null
  if (facts.remaining < facts.amountPerPeriod) return 0
  return findTrancheFiringTime(state) ?? facts.endTime
}
