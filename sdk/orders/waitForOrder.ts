import { CairnError } from '../errors/cairnError.ts'
import { isViemError } from '../errors/findViemError.ts'
import { abortableSleep } from '../events/abortableSleep.ts'
import { orAborted } from '../events/orAborted.ts'
import { RelayerError } from '../relayer/relayerError.ts'
import { invalidAnswer } from '../relayer/requireOwnAnswer.ts'
import { isShownByVault, type VaultOnChain } from './isShownByVault.ts'
import type { ScheduledOrder } from './orderResponses.ts'
import type { OrdersClient } from './ordersClient.ts'

export type WaitForOrderOptions = {
  /** Condition to wait for; default: the order has stopped and none of it is left in the vault. */
  until?: ((order: ScheduledOrder) => boolean) | undefined
  /**
   * The source chain's vault. With it, `waitForOrder` returns only once the vault shows the tranches fired, what is left and the
   * order's end. The rest, such as `amountRefunded`, is the service's claim; without the vault, everything is.
   */
  vault?: VaultOnChain | undefined
  /** Milliseconds between two polls; default 2,000. */
  pollMs?: number | undefined
  /** Milliseconds after which to give up; default: never. */
  timeoutMs?: number | undefined
  /** Ends the wait at once, and the request that it waits for: `waitForOrder` rejects with the signal's reason. */
  signal?: AbortSignal | undefined
  /** Called with the order after each read, as soon as the service reports it: before the chain is asked. */
  onOrder?: ((order: ScheduledOrder) => void) | undefined
  /** Called with each failure that the wait goes on through, such as an outage. */
  onError?: ((error: Error) => void) | undefined
}

/** How long your node may lag behind the service's, or have errors. */
const UNSHOWN_FOR_MS = 120_000

/**
 * Waits until an order has ended, however long it takes, through temporary failures (rate limits, outages).
 *
 * @throws RelayerError for an unknown order, `REQUEST_TIMEOUT` after `timeoutMs`, `ANSWER_INVALID` when the vault contradicts
 *   the service for two minutes; the signal's reason
 */
export async function waitForOrder(
  orders: Pick<OrdersClient, 'order'>,
  orderId: string,
  options: WaitForOrderOptions = {},
): Promise<ScheduledOrder> {
  const { until = hasEnded, pollMs = 2_000, timeoutMs = Number.POSITIVE_INFINITY } = options
  const { vault, signal, onOrder, onError } = options
  const deadline = performance.now() + timeoutMs
  let unshownSince: number | null = null
  const passOver = (error: unknown): null => {
    signal?.throwIfAborted()
    const sinceMs = unshownSince === null ? null : performance.now() - unshownSince
    if (!isTemporary(error, sinceMs)) throw error
    // After an outage, your node may lag for a while. The service's own failures aren't such an outage.
    if (error instanceof CairnError && !(error instanceof RelayerError)) unshownSince = null
    onError?.(error as Error)
    return null
  }
  const isShown = async (order: ScheduledOrder): Promise<boolean> => {
    if (vault === undefined) return true
    unshownSince ??= performance.now()
    const shown = await orAborted(isShownByVault(order, vault), signal).catch(passOver)
    if (shown === false && performance.now() - unshownSince > UNSHOWN_FOR_MS)
      throw contradiction(order)
    return shown === true
  }
  while (true) {
    signal?.throwIfAborted()
    const order = await orAborted(readOrder(orders, orderId, signal), signal).catch(passOver)
    if (order) {
      onOrder?.(order)
      if (!until(order)) unshownSince = null
      else if (await isShown(order)) return order
    }
    if (performance.now() + pollMs > deadline) {
      const message = `order ${orderId} did not reach the awaited state within ${timeoutMs} ms: call again`
      throw new RelayerError({ code: 'REQUEST_TIMEOUT', message, status: 0 })
    }
    await abortableSleep(pollMs, signal)
  }
}

function readOrder(
  orders: Pick<OrdersClient, 'order'>,
  orderId: string,
  signal: AbortSignal | undefined,
): Promise<ScheduledOrder> {
  return orders.order(orderId, undefined, signal && { signal })
}

function hasEnded({ status, amountLeft }: ScheduledOrder): boolean {
  return status !== 'active' && amountLeft === 0n
}

/** @param unshownMs how long the vault hasn't shown what the service says; null if it wasn't asked */
function isTemporary(error: unknown, unshownMs: number | null): boolean {
  if (error instanceof CairnError && error.retryable) return true
  return isViemError(error) && unshownMs !== null && unshownMs <= UNSHOWN_FOR_MS
}

function contradiction({ vaultOrderId, status, tranchesFilled }: ScheduledOrder): RelayerError {
  return invalidAnswer(
    `the order service says that order ${vaultOrderId} is ${status} after ${tranchesFilled} tranches, which the vault doesn’t show: don’t rely on it`,
  )
}
