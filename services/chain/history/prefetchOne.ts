/**
 * The same items in the same order, each fetched while the one before is being processed, so that waiting
 * for a node overlaps with computing.
 */
export async function* prefetchOne<Item>(source: AsyncGenerator<Item>): AsyncGenerator<Item> {
  let next = ask(source)
  try {
    while (true) {
      const { value, done } = await next
      if (done) return
      next = ask(source)
      yield value
    }
  } finally {
    // A caller that stops early doesn't wait for what is under way.
    void source.return(undefined).catch(() => {})
  }
}

function ask<Item>(source: AsyncGenerator<Item>): Promise<IteratorResult<Item>> {
  const asked = source.next()
  // A failure is thrown in its turn; until then it must not count as unhandled.
  asked.catch(() => {})
  return asked
}
