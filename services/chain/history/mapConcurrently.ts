/**
 * Maps the items of `source`, in their order, working on at most `ahead` at once. The next item is only
 * taken when there is room, so nothing piles up behind a slow consumer. A failure, the source's too, is
 * thrown in its turn, after all results before it.
 */
export async function* mapConcurrently<Item, Result>(
  source: Iterable<Item> | AsyncIterable<Item>,
  ahead: number,
  work: (item: Item) => Promise<Result>,
): AsyncGenerator<Result> {
  const items =
    Symbol.asyncIterator in source ? source[Symbol.asyncIterator]() : source[Symbol.iterator]()
  const underWay: Promise<Result>[] = []
  let isOver = false
  const begin = (result: Promise<Result>) => {
    // Until its turn comes it must not count as unhandled.
    result.catch(() => {})
    underWay.push(result)
  }
  const fill = async () => {
    while (underWay.length < ahead && !isOver) {
      try {
        const { value, done } = await items.next()
        if (done) isOver = true
        else begin(work(value))
      } catch (error) {
        isOver = true
        begin(Promise.reject(error))
      }
    }
  }
  try {
    await fill()
    while (underWay.length > 0) {
      const result = await (underWay.shift() as Promise<Result>)
      await fill()
      yield result
    }
  } finally {
    await items.return?.()
  }
}
