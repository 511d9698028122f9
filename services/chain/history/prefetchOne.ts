/** Yields the same items in the same order, but requests each while the consumer processes the one before. */
export async function* prefetchOne<Item>(source: AsyncGenerator<Item>): AsyncGenerator<Item> {
  let next = request(source)
  try {
    while (true) {
      const { value, done } = await next
      if (done) return
      next = request(source)
      yield value
    }
  } finally {
    // A consumer that stops early doesn't wait for the pending item.
    void source.return(undefined).catch(() => {})
  }
}

function request<Item>(source: AsyncGenerator<Item>): Promise<IteratorResult<Item>> {
  const result = source.next()
  // Thrown in its turn; until then it must not count as unhandled.
  result.catch(() => {})
  return result
}
