/**
 * The same items in the same order, each asked for while the one before is being worked on: what waits for
 * a node then overlaps with what keeps the processor busy.
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
    // Whoever stops early doesn't wait for what is under way.
    void source.return(undefined).catch(() => {})
  }
}

function ask<Item>(source: AsyncGenerator<Item>): Promise<IteratorResult<Item>> {
  const asked = source.next()
  // A failure is thrown where its turn comes; until then it must not count as unhandled.
  asked.catch(() => {})
  return asked
}
