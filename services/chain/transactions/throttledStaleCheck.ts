import { LruMap } from '../../process/lruMap.ts'
import type { SenderContext } from './senderContext.ts'

/** Milliseconds for which a transaction that isn't stale counts as such. */
const FRESH_MS = 2_000
/** Transactions that are remembered. */
const MOST = 10_000

/**
 * Asks only from time to time whether a transaction that nodes already have is stale, because each answer
 * takes several reads of the database. Before a transaction is signed, it asks every time.
 */
export function throttledStaleCheck(
  isStale: SenderContext['isStale'],
  now: () => number = Date.now,
): SenderContext['isStale'] {
  const checked = new LruMap<number, number>(MOST)
  return async (transaction) => {
    const { id, state } = transaction
    const askedAgo = now() - (checked.get(id) ?? Number.NEGATIVE_INFINITY)
    if (state !== 'chosen' && askedAgo < FRESH_MS) return false
    const found = await isStale(transaction)
    checked.delete(id)
    if (!found) checked.set(id, now())
    return found
  }
}
