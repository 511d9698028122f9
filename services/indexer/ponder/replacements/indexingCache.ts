/**
 * Replaces Ponder's row cache (replacePonderModules.ts). Before each block, Ponder drops what the previous block didn't touch,
 * so it reads the same few solvers, tokens and open intents again and again. This cache drops rows after thousands of
 * events. Two generations fit in 20 MB.
 */
const { createIndexingCache: createStock } = await import(
  new URL('indexing-store/cache.js', import.meta.resolve('ponder')).href
)

/** The part of Ponder's cache that differs here. */
type IndexingCache = {
  /** Called before each transaction; drops rows, and loads those that Ponder expects the events to need. */
  prefetch(batch: { events: readonly unknown[] }): Promise<void>
  invalidate(): void
  clear(): void
  /** Where rows are read: first the pool, then each attempt's transaction. */
  set qb(database: object)
}

/** A row is dropped when no event has touched it for this many events, or up to twice as many. */
export const EVENTS_BEFORE_FORGETTING = 2_000

export function createIndexingCache(options: unknown): IndexingCache {
  const cache: IndexingCache = createStock(options)
  const prefetch = cache.prefetch.bind(cache)
  const setDatabase = setterOf(cache)
  let events = 0
  let attempt: object | null = null

  cache.prefetch = async (batch) => {
    events += batch.events.length
    if (events < EVENTS_BEFORE_FORGETTING) return
    events = 0
    await prefetch(batch)
  }
  Object.defineProperty(cache, 'qb', {
    set(database: object) {
      const isTransaction = 'rollback' in database
      // A transaction whose commit failed is retried, but the cache already has its rows.
      if (isTransaction && attempt !== null && attempt !== database) {
        cache.invalidate()
        cache.clear()
      }
      attempt = isTransaction ? database : null
      setDatabase(database)
    },
  })
  return cache
}

function setterOf(cache: IndexingCache): (database: object) => void {
  const own = Object.getOwnPropertyDescriptor(cache, 'qb')?.set
  if (own === undefined) throw new TypeError('Ponder’s cache gets its database in another way')
  return own.bind(cache)
}
