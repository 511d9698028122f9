export type BatchLimits = {
  /** Keys in one batch at most. */
  most: number
  /** Batches at once. */
  atOnce: number
}

/**
 * Reads for many what each asks for by itself: who asks at about the same time, or while all batches that there
 * may be are being read, is read in one. Of what was asked for twice in a batch each gets the same.
 *
 * @param read answers in the order of the keys; whoever asked for one of them gets its failure
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
      for (const { reject } of batch) reject(error)
    } finally {
      running -= 1
      begin()
    }
  }
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
