export type BatchLimits = {
  /** Maximum keys in a batch. */
  most: number
  /** Maximum concurrent batches. */
  atOnce: number
}

/**
 * Batches single reads: requests made at about the same time, or while all batches are busy, share one. Duplicate
 * keys in a batch share one answer.
 *
 * @param read answers in the order of the keys; if it fails, every caller of the batch gets the error
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
