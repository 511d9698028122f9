import { LRUCache } from 'lru-cache'
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
  const fresh = new LRUCache<number, true>({
    ...{ max: MOST, ttl: FRESH_MS, ttlResolution: 0, perf: { now } },
  })
  return async (transaction) => {
    const { id, state } = transaction
    if (state !== 'chosen' && fresh.has(id)) return false
    const found = await isStale(transaction)
    if (found) fresh.delete(id)
    else fresh.set(id, true)
    return found
  }
}
