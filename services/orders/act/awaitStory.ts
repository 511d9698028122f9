import { setTimeout as pause } from 'node:timers/promises'
import type { OrderStory } from '../../../core/order/orderStory.ts'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import type { Transaction } from '../../chain/transactions/transaction.ts'
import type { Desk, ServedChain } from '../desk.ts'

/** Milliseconds between two looks at a chain that should have the transaction by now. */
const AGAIN_MS = 100
/** Looks before it is believed that the chain shows nothing of it. */
const LOOKS = 20

/**
 * Waits until a chain tells of an order what a transaction was to bring, or the transaction is over without
 * it, or patience ends.
 *
 * @param isThere whether the story says what is waited for
 */
export async function awaitStory(
  { feed, settings }: Desk,
  { follower }: ServedChain,
  transactionId: number,
  orderId: Hex,
  isThere: (story: OrderStory) => boolean,
): Promise<{ story: OrderStory | null; transaction: Transaction | null }> {
  const { patienceMs } = settings
  const transaction = await feed.awaitTransaction(transactionId, { until: 'mined', patienceMs })
  if (transaction?.state !== 'mined' && transaction?.state !== 'confirmed') {
    return { story: await find(), transaction }
  }
  for (let look = 1; ; look++) {
    const story = await find()
    if (story !== null || look === LOOKS) return { story, transaction }
    await pause(AGAIN_MS)
  }

  async function find(): Promise<OrderStory | null> {
    const followed = await follower.look().catch(() => follower.latest())
    const story = followed?.book.find(orderId) ?? null
    return story !== null && isThere(story) ? story : null
  }
}
