import { setTimeout as pause } from 'node:timers/promises'
import type { OrderState } from '../../../core/order/orderState.ts'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import type { Transaction } from '../../chain/transactions/transaction.ts'
import type { VaultFollower } from '../follow/followVault.ts'
import type { OrdersContext, ServedChain } from '../ordersContext.ts'

/** Milliseconds between two looks at a chain that should have the transaction by now. */
const AGAIN_MS = 100
/** Looks before concluding that the chain doesn't show it. */
const LOOKS = 20

const doubtedAt = new WeakMap<VaultFollower, number>()

/**
 * Waits until the chain shows an order as a transaction should leave it, the transaction ends without that, or
 * time runs out.
 *
 * @param isThere whether the order is in the awaited state
 */
export async function awaitOrder(
  { feed, settings }: OrdersContext,
  { follower, config }: ServedChain,
  transactionId: number,
  orderId: Hex,
  isThere: (order: OrderState) => boolean,
): Promise<{ order: OrderState | null; transaction: Transaction | null }> {
  const { patienceMs, doubtEveryMs } = settings
  const transaction = await feed.awaitTransaction(transactionId, { until: 'mined', patienceMs })
  if (transaction?.state !== 'mined' && transaction?.state !== 'confirmed') {
    return { order: await find(), transaction }
  }
  for (let look = 1; ; look++) {
    const order = await find()
    if (order !== null || !transaction.succeeded) return { order, transaction }
    if (look === LOOKS) {
      // The ledger doesn't cover an order that was never read, so nothing else would find it.
      if (isLeftOut(follower, orderId, transaction, config.confirmations))
        doubt(follower, doubtEveryMs)
      return { order, transaction }
    }
    await pause(AGAIN_MS)
  }

  async function find(): Promise<OrderState | null> {
    const followed = await follower.look().catch(() => follower.latest())
    const order = followed?.book.find(orderId) ?? null
    return order !== null && isThere(order) ? order : null
  }
}

/**
 * Reads everything again, which keeps every step waiting: so not for each request about an order that a node
 * hides.
 */
function doubt(follower: VaultFollower, everyMs: number): void {
  const now = performance.now()
  if (now - (doubtedAt.get(follower) ?? -everyMs) < everyMs) return
  doubtedAt.set(follower, now)
  follower.doubt()
}

/** Whether an order is missing from the final reads although its funding is deep enough. */
function isLeftOut(
  follower: VaultFollower,
  orderId: Hex,
  { state, blockNumber }: Transaction,
  confirmations: number,
): boolean {
  const followed = follower.latest()
  if (followed === null || state !== 'confirmed' || blockNumber === null) return false
  const isDeep = blockNumber <= followed.head.number - confirmations
  return isDeep && followed.book.find(orderId) === null
}
