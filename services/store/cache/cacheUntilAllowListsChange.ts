import type { ChangeFeed } from '../changes/changeFeed.ts'
import { readingForAll } from '../database/fairShares.ts'

/**
 * Caches what only events about no intent change, such as bridges' allow-lists, until the next such event. Nothing is
 * cached while the feed is disconnected.
 */
export function cacheUntilAllowListsChange<Value>(
  feed: ChangeFeed,
  read: () => Promise<Value>,
): () => Promise<Value> {
  let reading: Promise<Value> | null = null
  feed.subscribe((event) => {
    if (event.kind === 'clock') return
    if (event.kind !== 'change' || event.change.intentId === null) reading = null
  })
  return () => {
    if (!feed.isConnected()) return read()
    const begun = reading ?? readingForAll(read)
    reading = begun
    begun.catch(() => {
      if (reading === begun) reading = null
    })
    return begun
  }
}
