import type { Db } from '../../store/database/database.ts'

type BatchLimits = {
  /** Maximum keys in a batch. */
  most: number
  /** Maximum concurrent batches. */
  atOnce: number
}

/**
 * Batches single reads: requests made at about the same time, or while all batches are busy, share one. Duplicate
 * keys in a batch share one answer.
 *
 * @param read answers in the order of the keys; if it fails, each key is read by itself, so that one that can't be
 *   read holds up no other
 */
export function inBatches<Key, Value>(
  { most, atOnce }: BatchLimits,
  read: (keys: readonly Key[]) => Promise<readonly Value[]>,
): (key: Key) => Promise<Value> {
  type Asked = { key: Key; resolve(value: Value): void; reject(error: unknown): void }
  const waiting: Asked[] = []
  let running = 0
  let isDue = false

  const readBatch = async (batch: readonly Asked[]): Promise<void> => {
    running += 1
    try {
      const values = await read(batch.map(({ key }) => key))
      for (const [at, { resolve }] of batch.entries()) resolve(values[at] as Value)
    } catch (error) {
      const [first, ...others] = batch
      if (others.length === 0) first?.reject(error)
      else await Promise.all(batch.map(readAlone))
    } finally {
      running -= 1
      begin()
    }
  }
  const readAlone = ({ key, resolve, reject }: Asked): Promise<void> =>
    read([key]).then(([value]) => resolve(value as Value), reject)
  const begin = () => {
    isDue = false
    while (running < atOnce && waiting.length > 0) void readBatch(waiting.splice(0, most))
  }
  return (key) =>
    new Promise((resolve, reject) => {
      waiting.push({ key, resolve, reject })
      if (isDue || running >= atOnce) return
      isDue = true
      setImmediate(begin)
    })
}

/** The same over a database: reads of one database share batches. */
export function batchedPerDatabase<Key, Value>(
  limits: BatchLimits,
  read: (db: Db, keys: readonly Key[]) => Promise<readonly Value[]>,
): (db: Db, key: Key) => Promise<Value> {
  const readers = new WeakMap<Db, (key: Key) => Promise<Value>>()
  return (db, key) => {
    const reader = readers.get(db) ?? inBatches<Key, Value>(limits, (keys) => read(db, keys))
    readers.set(db, reader)
    return reader(key)
  }
}
