import { LruMap } from '../../process/lruMap.ts'

/** A cache that drops entries when it is full. */
type LruCache<Key, Kept> = {
  get(key: Key): Kept | undefined
  /** Stores it, unless it takes more than half of the cache. */
  set(key: Key, kept: Kept, bytes: number): void
  delete(key: Key): void
  clear(): void
  statistics(): { entries: number; bytes: number }
}

/** Bytes that an entry takes in addition to its content. */
const ENTRY_BYTES = 250

/**
 * Keeps recently read entries within a number of bytes.
 *
 * @param room bytes; 0 keeps nothing
 */
export function createLruCache<Key, Kept>(room: number): LruCache<Key, Kept> {
  const entries = new LruMap<Key, { kept: Kept; size: number }>(Number.POSITIVE_INFINITY)
  let held = 0
  const remove = (key: Key) => {
    held -= entries.get(key)?.size ?? 0
    entries.delete(key)
  }
  return {
    get: (key) => entries.get(key)?.kept,
    set: (key, kept, bytes) => {
      remove(key)
      const size = bytes + ENTRY_BYTES
      if (size > room / 2) return
      entries.set(key, { kept, size })
      held += size
      for (const oldest of entries.keys()) {
        if (held <= room) return
        remove(oldest)
      }
    },
    delete: remove,
    clear: () => {
      entries.clear()
      held = 0
    },
    statistics: () => ({ entries: entries.size, bytes: held }),
  }
}
