/**
 * Maps items with limited concurrency; results keep the items' order. After a failure no further item starts, and
 * the failure is thrown once the running ones have ended, so that no work outlives the call.
 */
export async function mapInParallel<Item, Result>(
  items: readonly Item[],
  concurrency: number,
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results = new Array<Result>(items.length)
  const queue = items.entries()
  let hasFailed = false
  const worker = async () => {
    for (const [index, item] of queue) {
      if (hasFailed) return
      try {
        results[index] = await work(item)
      } catch (error) {
        hasFailed = true
        throw error
      }
    }
  }
  await allEnded(Array.from({ length: Math.min(concurrency, items.length) }, worker))
  return results
}

/** Like `Promise.all`, but rejects only when every promise has settled. */
export async function allEnded<Results extends readonly unknown[]>(
  promises: {
    [Index in keyof Results]: Promise<Results[Index]>
  },
): Promise<Results> {
  await Promise.allSettled(promises)
  return Promise.all(promises) as unknown as Promise<Results>
}
