import type { Db } from './openDatabase.ts'

type BatchOptions = {
  /** Limit on concurrent reads. */
  atOnce: number
  /** Limit on keys of one read. */
  largest: number
  /** If a read fails, reads each of its keys separately, so that one bad key doesn't fail the others. */
  retriesAlone?: boolean
}

type Waiting<Key, Value> = {
  key: Key
  resolve: (value: Value) => void
  reject: (error: unknown) => void
}

/**
 * Batches reads of single keys: while the limit of concurrent reads is reached, keys collect for the next read. A lone key is
 * read at once; under load, batches grow instead of queues. A read always begins after its keys were requested.
 *
 * @param readAll returns values in the order of the keys
 */
export function batchReads<Key, Value>(
  { atOnce, largest, retriesAlone = false }: BatchOptions,
  readAll: (keys: readonly Key[]) => Promise<readonly Value[]>,
): (key: Key) => Promise<Value> {
  const queued: Waiting<Key, Value>[] = []
  let running = 0
  let isDue = false

  const run = async (batch: readonly Waiting<Key, Value>[]): Promise<void> => {
    try {
      const values = await readAll(batch.map(({ key }) => key))
      for (const [index, { resolve }] of batch.entries()) resolve(values[index] as Value)
    } catch (error) {
      if (retriesAlone && batch.length > 1) await Promise.all(batch.map((one) => run([one])))
      else for (const { reject } of batch) reject(error)
    }
  }
  const start = (): void => {
    isDue = false
    while (running < atOnce && queued.length > 0) {
      running += 1
      run(queued.splice(0, largest)).finally(() => {
        running -= 1
        start()
      })
    }
  }
  return (key) =>
    new Promise((resolve, reject) => {
      queued.push({ key, resolve, reject })
      if (isDue || running >= atOnce) return
      isDue = true
      // Requests of the same turn of the event loop share a batch.
      setImmediate(start)
    })
}

/** Like `batchReads`, with batches by database. */
export function batchReadsOf<Key, Value>(
  options: BatchOptions,
  readAll: (db: Db, keys: readonly Key[]) => Promise<readonly Value[]>,
): (db: Db, key: Key) => Promise<Value> {
  const readers = new WeakMap<Db, (key: Key) => Promise<Value>>()
  return (db, key) => {
    const read = readers.get(db) ?? batchReads<Key, Value>(options, (keys) => readAll(db, keys))
    readers.set(db, read)
    return read(key)
  }
}
