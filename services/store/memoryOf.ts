/** What is kept until it is crowded out. */
export type Memory<Key, Kept> = {
  get(key: Key): Kept | undefined
  /** Keeps it, unless it is larger than all there is room for. */
  set(key: Key, kept: Kept, bytes: number): void
  delete(key: Key): void
  clear(): void
  statistics(): { entries: number; bytes: number }
}

/** Bytes that an entry takes beside what it holds: its place in the map, its objects. */
const ENTRY_BYTES = 250

/**
 * Keeps what was asked for last, within a number of bytes.
 *
 * @param room bytes; 0 keeps nothing
 */
export function memoryOf<Key, Kept>(room: number): Memory<Key, Kept> {
  const entries = new Map<Key, { kept: Kept; size: number }>()
  let bytes = 0
  const remove = (key: Key) => {
    const entry = entries.get(key)
    if (!entry) return
    entries.delete(key)
    bytes -= entry.size
  }
  return {
    get: (key) => {
      const entry = entries.get(key)
      if (!entry) return undefined
      // To the end of the queue for leaving.
      entries.delete(key)
      entries.set(key, entry)
      return entry.kept
    },
    set: (key, kept, given) => {
      remove(key)
      const size = given + ENTRY_BYTES
      if (size > room) return
      entries.set(key, { kept, size })
      bytes += size
      while (bytes > room) remove(entries.keys().next().value as Key)
    },
    delete: remove,
    clear: () => {
      entries.clear()
      bytes = 0
    },
    statistics: () => ({ entries: entries.size, bytes }),
  }
}
