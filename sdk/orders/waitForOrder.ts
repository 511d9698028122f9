import { abortableSleep } from '../events/abortableSleep.ts'
import { RelayerError } from '../relayer/relayerError.ts'
import type { ScheduledOrder } from './orderResponses.ts'
import type { OrdersClient } from './ordersClient.ts'

export type WaitForOrderOptions = {
  /** Condition to wait for; default: the order has stopped and none of it is left in the vault. */
  until?: (order: ScheduledOrder) => boolean
  /** Milliseconds between two polls; default 2,000. */
  pollMs?: number
  /** Milliseconds after which to give up; default: never. */
  timeoutMs?: number
  signal?: AbortSignal
  /** Called with the order after each read. */
  onOrder?: (order: ScheduledOrder) => void
}

/**
 * Waits until an order has ended, however long it takes, through temporary failures (rate limits, outages).
 *
 * @throws RelayerError for an unknown order, `REQUEST_TIMEOUT` after `timeoutMs`, the signal's reason
 */
export async function waitForOrder(
  orders: Pick<OrdersClient, 'order'>,
  orderId: string,
  options: WaitForOrderOptions = {},
): Promise<ScheduledOrder> {
  const { until = hasEnded, pollMs = 2_000, timeoutMs = Number.POSITIVE_INFINITY } = options
  const { signal, onOrder } = options
  const deadline = Date.now() + timeoutMs
  while (true) {
    signal?.throwIfAborted()
    const order = await orders.order(orderId).catch(nullIfRetryable)
    if (order) {
      onOrder?.(order)
      if (until(order)) return order
    }
    if (Date.now() + pollMs > deadline) {
      const message = `order ${orderId} did not reach the awaited state within ${timeoutMs} ms`
      throw new RelayerError({ code: 'REQUEST_TIMEOUT', message, status: 0 })
    }
    await abortableSleep(pollMs, signal)
  }
}

function hasEnded({ status, amountLeft }: ScheduledOrder): boolean {
  return status !== 'active' && amountLeft === 0n
}

function nullIfRetryable(error: unknown): null {
  if (error instanceof RelayerError && error.retryable) return null
  throw error
}
