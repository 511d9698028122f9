import { deriveOrderStatus, type OrderStatus } from '../../../core/order/orderStatus.ts'
import type { ChainHeads } from '../../../services/store/chains/readChainStates.ts'
import type { OrderFacts, StopReason } from '../../../src/order/orderFacts.ts'
import { html, type Markup } from '../html/html.ts'

/** Why an order stopped, in words. */
export const STOPPED: Record<StopReason, string> = {
  filled: 'filled',
  end_time: 'past its end time',
  user_cancel: 'cancelled by its owner',
}

export const ORDER_WORDS = {
  active: 'Active',
  completed: 'Completed',
  cancelled: 'Cancelled',
} as const

/** An order's status by its chain's clock. */
export function statusOf(order: OrderFacts, heads: ChainHeads): OrderStatus {
  return deriveOrderStatus(order, heads.get(order.chainId)?.timestamp ?? null)
}

/** An order's status, in the colours of intents' statuses. */
export function orderMark({ status, stopReason }: OrderStatus): Markup {
  const tone = status === 'active' ? 'solving' : status
  return html`<span class="status s-${tone}">${ORDER_WORDS[status]}${stopReason && stopReason !== 'user_cancel' && html`<span class="note"> ${STOPPED[stopReason]}</span>`}</span>`
}
