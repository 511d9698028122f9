import { LRUCache } from 'lru-cache'

/** Bytes that an entry takes in addition to its content. */
const ENTRY_BYTES = 250

/** A cache that holds so many bytes, and drops what was used the longest ago when it is full. */
type LruCache<Key, Kept> = {
  get(key: Key): Kept | undefined
  /** Stores it, unless it takes more than half of the cache. */
  set(key: Key, kept: Kept, bytes: number): void
  delete(key: Key): void
  clear(): void
  statistics(): { entries: number; bytes: number }
}

/** @param room bytes; 0 keeps nothing */
export function createLruCache<Key extends {}, Kept extends {}>(room: number): LruCache<Key, Kept> {
  // Without room, every entry is too large.
  const maxSize = Math.max(1, Math.floor(room))
  const entries = new LRUCache<Key, Kept>({ maxSize, maxEntrySize: Math.ceil(maxSize / 2) })
  return {
    get: (key) => entries.get(key),
    set: (key, kept, bytes) => {
      entries.set(key, kept, { size: bytes + ENTRY_BYTES })
    },
    delete: (key) => {
      entries.delete(key)
    },
    clear: () => entries.clear(),
    statistics: () => ({ entries: entries.size, bytes: entries.calculatedSize }),
  }
}
