/**
 * Runs `work` on the items of `source` with at most `ahead` of them under way, and yields the results in the
 * items' order. The next item is only taken when there is room, so nothing piles up behind a slow consumer.
 */
export async function* inOrder<Item, Result>(
  source: Iterator<Item>,
  ahead: number,
  work: (item: Item) => Promise<Result>,
): AsyncGenerator<Result> {
  const underWay: Promise<Result>[] = []
  const fill = () => {
    while (underWay.length < ahead) {
      const { value, done } = source.next()
      if (done) return
      const started = work(value)
      // A failure is thrown where its turn comes; until then it must not count as unhandled.
      started.catch(() => {})
      underWay.push(started)
    }
  }
  fill()
  while (underWay.length > 0) {
    const result = await (underWay.shift() as Promise<Result>)
    fill()
    yield result
  }
}
