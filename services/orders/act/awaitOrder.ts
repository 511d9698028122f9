import { setTimeout as pause } from 'node:timers/promises'
import type { OrderState } from '../../../core/order/orderState.ts'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import type { Transaction } from '../../chain/transactions/transaction.ts'
import type { VaultFollower } from '../follow/followVault.ts'
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
  { follower, config }: ServedChain,
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
    if (order !== null || !transaction.succeeded) return { order, transaction }
    if (look === LOOKS) {
      // Of an order that was never read the ledger knows nothing, so nothing else would find it.
      if (isLeftOut(follower, orderId, transaction, config.confirmations)) follower.doubt()
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

/** Whether an order isn't in what was read for good, although its funding is deep enough to be. */
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
