import { setTimeout as pause } from 'node:timers/promises'
import type { OrderState } from '../../../core/order/orderState.ts'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import type { Transaction } from '../../chain/transactions/transaction.ts'
import type { OrdersContext, ServedChain } from '../ordersContext.ts'

/** Milliseconds between two looks at a chain that should have the transaction by now. */
const AGAIN_MS = 100
/** Looks before it is believed that the chain shows nothing of it. */
const LOOKS = 20

/**
 * Waits until a chain tells of an order what a transaction was to bring, or the transaction is over without
 * it, or patience ends.
 *
 * @param isThere whether the order is as is waited for
 */
export async function awaitOrder(
  { feed, settings }: OrdersContext,
  { follower }: ServedChain,
  transactionId: number,
  orderId: Hex,
  isThere: (order: OrderState) => boolean,
): Promise<{ order: OrderState | null; transaction: Transaction | null }> {
  const { patienceMs } = settings
  const transaction = await feed.awaitTransaction(transactionId, { until: 'mined', patienceMs })
  if (transaction?.state !== 'mined' && transaction?.state !== 'confirmed') {
    return { order: await find(), transaction }
  }
  for (let look = 1; ; look++) {
    const order = await find()
    if (order !== null || look === LOOKS || !transaction.succeeded) return { order, transaction }
    await pause(AGAIN_MS)
  }

  async function find(): Promise<OrderState | null> {
    const followed = await follower.look().catch(() => follower.latest())
    const order = followed?.book.find(orderId) ?? null
    return order !== null && isThere(order) ? order : null
  }
}
