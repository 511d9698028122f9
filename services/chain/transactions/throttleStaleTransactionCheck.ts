import { LRUCache } from 'lru-cache'
import type { SenderContext } from './senderContext.ts'

/** Milliseconds for which the answer "not stale" is cached. */
const FRESH_MS = 2_000
/** Cached transactions. */
const CAPACITY = 10_000

/**
 * Caches the answer for transactions that are signed, since each answer takes several database reads. Before a transaction
 * is signed it always asks.
 */
export function throttleStaleTransactionCheck(
  isStale: SenderContext['isStale'],
  now: () => number = () => performance.now(),
): SenderContext['isStale'] {
  const fresh = new LRUCache<number, true>({
    max: CAPACITY,
    ttl: FRESH_MS,
    ttlResolution: 0,
    perf: { now },
  })
  return async (transaction) => {
    const { id, state } = transaction
    if (state !== 'chosen' && fresh.has(id)) return false
    const result = await isStale(transaction)
    if (result) fresh.delete(id)
    else fresh.set(id, true)
    return result
  }
}
