import { LRUCache } from 'lru-cache'

/** Overhead of an entry in bytes. */
const ENTRY_BYTES = 250

/** A least-recently-used cache that is limited in bytes. */
type LruCache<Key, Value> = {
  get(key: Key): Value | undefined
  /** Stores a value, unless it takes more than half of the cache. */
  set(key: Key, value: Value, bytes: number): void
  clear(): void
}

/** @param maxBytes 0 disables the cache */
export function createLruCache<Key extends {}, Value extends {}>(
  maxBytes: number,
): LruCache<Key, Value> {
  // The library needs a size above 0; in one of 1, no entry fits.
  const maxSize = Math.max(1, Math.floor(maxBytes))
  const entries = new LRUCache<Key, Value>({ maxSize, maxEntrySize: Math.ceil(maxSize / 2) })
  return {
    get: (key) => entries.get(key),
    set: (key, value, bytes) => {
      entries.set(key, value, { size: bytes + ENTRY_BYTES })
    },
    clear: () => entries.clear(),
  }
}
