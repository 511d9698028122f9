/** A cache that drops entries when it is full. */
type LruCache<Key, Kept> = {
  get(key: Key): Kept | undefined
  /** Stores it, unless it is larger than the whole cache. */
  set(key: Key, kept: Kept, bytes: number): void
  delete(key: Key): void
  clear(): void
  statistics(): { entries: number; bytes: number }
}

/** Bytes that an entry takes in addition to its content. */
const ENTRY_BYTES = 250

type Entry<Kept> = { kept: Kept; size: number }
type Generation<Key, Kept> = { entries: Map<Key, Entry<Kept>>; bytes: number }

/**
 * Keeps recently read entries within a number of bytes, in two generations of half the size. Read
 * entries move to the young one; when that is full it becomes the old one, and what remains of the
 * previous old one is dropped. A read costs one look-up.
 *
 * @param room bytes; 0 keeps nothing
 */
export function createLruCache<Key, Kept>(room: number): LruCache<Key, Kept> {
  let young: Generation<Key, Kept> = { entries: new Map(), bytes: 0 }
  let old: Generation<Key, Kept> = { entries: new Map(), bytes: 0 }

  const put = (key: Key, entry: Entry<Kept>) => {
    if (entry.size > room / 2) return
    if (young.bytes + entry.size > room / 2) {
      old = young
      young = { entries: new Map(), bytes: 0 }
    }
    young.entries.set(key, entry)
    young.bytes += entry.size
  }
  const remove = (key: Key): Entry<Kept> | undefined =>
    removeFrom(young, key) ?? removeFrom(old, key)
  return {
    get: (key) => {
      const entry = young.entries.get(key)
      if (entry) return entry.kept
      const aged = removeFrom(old, key)
      if (aged) put(key, aged)
      return aged?.kept
    },
    set: (key, kept, bytes) => {
      remove(key)
      put(key, { kept, size: bytes + ENTRY_BYTES })
    },
    delete: (key) => {
      remove(key)
    },
    clear: () => {
      young = { entries: new Map(), bytes: 0 }
      old = { entries: new Map(), bytes: 0 }
    },
    statistics: () => ({
      entries: young.entries.size + old.entries.size,
      bytes: young.bytes + old.bytes,
    }),
  }
}

function removeFrom<Key, Kept>(
  generation: Generation<Key, Kept>,
  key: Key,
): Entry<Kept> | undefined {
  const entry = generation.entries.get(key)
  if (!entry) return undefined
  generation.entries.delete(key)
  generation.bytes -= entry.size
  return entry
}
