/**
 * Maps the items of `source` in order, running at most `limit` of them at once. Takes the next item only when there is
 * room, so a slow consumer limits memory. An error of an item or of the source is thrown after all earlier results.
 */
export async function* mapConcurrently<Item, Result>(
  source: Iterable<Item> | AsyncIterable<Item>,
  limit: number,
  work: (item: Item) => Promise<Result>,
): AsyncGenerator<Result> {
  const items =
    Symbol.asyncIterator in source ? source[Symbol.asyncIterator]() : source[Symbol.iterator]()
  const pending: Promise<Result>[] = []
  let isDone = false
  const enqueue = (result: Promise<Result>) => {
    // Thrown in its turn; until then it must not count as unhandled.
    result.catch(() => {})
    pending.push(result)
  }
  const fill = async () => {
    while (pending.length < limit && !isDone) {
      try {
        const { value, done } = await items.next()
        if (done) isDone = true
        else enqueue(work(value))
      } catch (error) {
        isDone = true
        enqueue(Promise.reject(error))
      }
    }
  }
  try {
    await fill()
    while (pending.length > 0) {
      const result = await (pending.shift() as Promise<Result>)
      await fill()
      yield result
    }
  } finally {
    await items.return?.()
  }
}
