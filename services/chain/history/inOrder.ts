/**
 * What comes of the items of `source`, in their order, with at most `ahead` being worked on at once. The
 * next item is only taken when there is room, so nothing piles up behind a slow consumer.
 */
export async function* inOrder<Item, Result>(
  source: Iterable<Item> | AsyncIterable<Item>,
  ahead: number,
  work: (item: Item) => Promise<Result>,
): AsyncGenerator<Result> {
  const items =
    Symbol.asyncIterator in source ? source[Symbol.asyncIterator]() : source[Symbol.iterator]()
  const underWay: Promise<Result>[] = []
  const fill = async () => {
    while (underWay.length < ahead) {
      const { value, done } = await items.next()
      if (done) return
      const started = work(value)
      // A failure is thrown where its turn comes; until then it must not count as unhandled.
      started.catch(() => {})
      underWay.push(started)
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
