import { setTimeout as pause } from 'node:timers/promises'
import type { OrderState } from '../../../core/order/orderState.ts'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import type { Transaction } from '../../chain/transactions/transactionRow.ts'
import type { VaultFollower } from '../follow/followVault.ts'
import { createGrowingWait, type GrowingWait } from '../follow/growingWait.ts'
import type { OrdersContext, ServedChain } from '../ordersContext.ts'

/** Milliseconds between two reads of a chain that should show the transaction by now. */
const RETRY_MS = 100
/** Reads before concluding that the chain doesn't show it. */
const MAX_READS = 20

const reloadWaits = new WeakMap<object, GrowingWait>()

/**
 * Waits until the chain shows an order in the expected state, the transaction ends without that effect, or time
 * runs out.
 *
 * @param isReached whether the order is in the expected state
 */
export async function awaitOrderState(
  { feed, settings }: OrdersContext,
  { follower, config }: ServedChain,
  transactionId: number,
  orderId: Hex,
  isReached: (order: OrderState) => boolean,
): Promise<{ order: OrderState | null; transaction: Transaction | null }> {
  const { timeoutMs, reloadEveryMs } = settings
  const transaction = await feed.awaitTransaction(transactionId, { until: 'mined', timeoutMs })
  if (transaction?.state !== 'mined' && transaction?.state !== 'confirmed') {
    return { order: await find(), transaction }
  }
  for (let reads = 1; ; reads++) {
    const order = await find()
    if (order !== null || !transaction.succeeded) return { order, transaction }
    if (reads === MAX_READS) {
      // A surplus of the vault may not show it: every node may have hidden the order when it was looked for.
      if (isMissing(follower, orderId, transaction, config.confirmations)) {
        requestReload(follower, reloadEveryMs)
      }
      return { order, transaction }
    }
    await pause(RETRY_MS)
  }

  async function find(): Promise<OrderState | null> {
    const snapshot = await follower.refresh().catch(() => follower.latest())
    const order = snapshot?.book.find(orderId) ?? null
    return order !== null && isReached(order) ? order : null
  }
}

/** Less and less often, since each step waits for a reload, and a node may keep hiding an order. */
export function requestReload(
  follower: Pick<VaultFollower, 'requestReload'>,
  leastMs: number,
): void {
  const wait = reloadWaits.get(follower) ?? createGrowingWait(leastMs)
  reloadWaits.set(follower, wait)
  if (!wait.isOver()) return
  wait.start()
  wait.grow()
  follower.requestReload()
}

/** Whether an order is missing although its funding is confirmed. */
function isMissing(
  follower: VaultFollower,
  orderId: Hex,
  { state, blockNumber }: Transaction,
  confirmations: number,
): boolean {
  const snapshot = follower.latest()
  if (snapshot === null || state !== 'confirmed' || blockNumber === null) return false
  const isDeep = blockNumber <= snapshot.head.number - confirmations
  return isDeep && snapshot.book.find(orderId) === null
}
