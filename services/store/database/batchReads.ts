type BatchTerms<Key, Found> = {
  /** Reads several at once; an absent key was not found. */
  readAll: (keys: readonly Key[]) => Promise<ReadonlyMap<Key, Found>>
  /** The value of a key that isn't in the answer. */
  nothing: Found
  /** Statements that run at once. Default 3. */
  atOnce?: number
  /** Keys of one statement at most. Default 64. */
  largest?: number
}

type Waiting<Key, Found> = {
  key: Key
  resolve: (found: Found) => void
  reject: (error: unknown) => void
}

/**
 * Reads keys one by one as asked, with statements for many: while as many statements run as may, keys
 * gather for the next. Alone, a key is read at once; under load, statements grow instead of queues. A
 * statement begins after its keys were asked for, never before.
 */
export function batchReads<Key, Found>({
  readAll,
  nothing,
  atOnce = 3,
  largest = 64,
}: BatchTerms<Key, Found>): (key: Key) => Promise<Found> {
  const gathered: Waiting<Key, Found>[] = []
  let running = 0

  const run = async (batch: readonly Waiting<Key, Found>[]): Promise<void> => {
    try {
      const found = await readAll(batch.map(({ key }) => key))
      for (const { key, resolve } of batch) resolve(found.get(key) ?? nothing)
    } catch (error) {
      for (const { reject } of batch) reject(error)
    }
  }
  const start = (): void => {
    while (running < atOnce && gathered.length > 0) {
      running += 1
      run(gathered.splice(0, largest)).finally(() => {
        running -= 1
        start()
      })
    }
  }
  let isDue = false
  return (key) =>
    new Promise((resolve, reject) => {
      gathered.push({ key, resolve, reject })
      if (isDue || running >= atOnce) return
      isDue = true
      // Requests in the same turn of the event loop go together.
      setImmediate(() => {
        isDue = false
        start()
      })
    })
}
