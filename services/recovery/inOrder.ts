/**
 * What comes of the items, in their order, with several being worked on at once: the next ones are begun
 * while whoever asked is busy with the one before.
 *
 * @param most how many at once
 */
export async function* inOrder<Item, Result>(
  items: Iterable<Item> | AsyncIterable<Item>,
  most: number,
  work: (item: Item) => Promise<Result>,
): AsyncGenerator<Result> {
  const underWay: Promise<Result>[] = []
  for await (const item of items) {
    const begun = work(item)
    // A failure is thrown where its turn comes; until then it must not count as unhandled.
    begun.catch(() => {})
    underWay.push(begun)
    if (underWay.length >= most) yield await underWay.shift()!
  }
  while (underWay.length > 0) yield await underWay.shift()!
}
