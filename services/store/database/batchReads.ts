import type { Db } from './database.ts'

type BatchOptions = {
  /** Reads that run at once. */
  atOnce: number
  /** Keys of one read at most. */
  largest: number
  /** If a read fails, each of its keys is read by itself: one that can't be read holds up no other. */
  retriesAlone?: boolean
}

type Waiting<Key, Found> = {
  key: Key
  resolve: (found: Found) => void
  reject: (error: unknown) => void
}

/**
 * Reads keys one by one as asked, with reads of many: while as many reads run as may, keys gather for the next.
 * Alone, a key is read at once; under load, reads grow instead of queues. A read begins after its keys were asked
 * for, never before.
 *
 * @param readAll answers in the order of the keys
 */
export function batchReads<Key, Found>(
  { atOnce, largest, retriesAlone = false }: BatchOptions,
  readAll: (keys: readonly Key[]) => Promise<readonly Found[]>,
): (key: Key) => Promise<Found> {
  const gathered: Waiting<Key, Found>[] = []
  let running = 0
  let isDue = false

  const run = async (batch: readonly Waiting<Key, Found>[]): Promise<void> => {
    try {
      const found = await readAll(batch.map(({ key }) => key))
      for (const [at, { resolve }] of batch.entries()) resolve(found[at] as Found)
    } catch (error) {
      if (retriesAlone && batch.length > 1) await Promise.all(batch.map((one) => run([one])))
      else for (const { reject } of batch) reject(error)
    }
  }
  const start = (): void => {
    isDue = false
    while (running < atOnce && gathered.length > 0) {
      running += 1
      run(gathered.splice(0, largest)).finally(() => {
        running -= 1
        start()
      })
    }
  }
  return (key) =>
    new Promise((resolve, reject) => {
      gathered.push({ key, resolve, reject })
      if (isDue || running >= atOnce) return
      isDue = true
      // Requests in the same turn of the event loop go together.
      setImmediate(start)
    })
}

/** The same over databases: reads of one database go together. */
export function batchReadsOf<Key, Found>(
  options: BatchOptions,
  readAll: (db: Db, keys: readonly Key[]) => Promise<readonly Found[]>,
): (db: Db, key: Key) => Promise<Found> {
  const readers = new WeakMap<Db, (key: Key) => Promise<Found>>()
  return (db, key) => {
    const read = readers.get(db) ?? batchReads<Key, Found>(options, (keys) => readAll(db, keys))
    readers.set(db, read)
    return read(key)
  }
}
