import { expect, test } from 'vitest'
import type { FeedEvent } from '../../../services/store/changes/changeFeed.ts'
import { currentReader, readingFor } from '../../../services/store/database/fairShares.ts'
import type { Db } from '../../../services/store/database/openDatabase.ts'
import { createIntentCache } from '../../../services/store/intents/intentCache.ts'
import type { StoredIntent } from '../../../services/store/intents/storedIntent.ts'
import { createFakeDatabase } from '../../rig/fakeDatabase.ts'
import { manualChangeFeed } from './manualChangeFeed.ts'

/** A cache that is offered what others read: it never asks the database itself. */
function cacheInHand(capacity?: number) {
  const { feed, notify } = manualChangeFeed()
  const cache = createIntentCache(null as unknown as Db, feed, capacity)
  return { cache, notify, change: (intentId: bigint) => notify(changed(intentId)) }
}

function changed(intentId: bigint): FeedEvent {
  const change = { sequence: 1n, sourceChainId: 1, intentId, table: 'intent', operation: 'update' }
  return { kind: 'change', change } as unknown as FeedEvent
}

const read = (...ids: bigint[]) =>
  new Map(ids.map((id) => [id, [{ source: { intentId: id } } as StoredIntent]]))

test('the intent cache keeps what was offered, except intents that changed meanwhile', () => {
  const { cache, change } = cacheInHand()
  change(1n)
  const begun = cache.revision()
  change(2n)
  change(7n)
  cache.add(read(1n, 2n, 3n), begun)
  expect([1n, 2n, 3n].map((id) => cache.cached(id) !== null)).toEqual([true, false, true])
})

test.each([
  'lost',
  'gap',
  'views',
] as const)('after “%s” nothing read before it is kept', (kind) => {
  const { cache, notify } = cacheInHand()
  const begun = cache.revision()
  notify({ kind })
  if (kind === 'lost') notify({ kind: 'found' })
  cache.add(read(1n), begun)
  expect(cache.cached(1n)).toBeNull()
  cache.add(read(1n), cache.revision())
  expect(cache.cached(1n)).not.toBeNull()
})

test('more changes than the cache remembers outdate everything read before them', () => {
  const { cache, change } = cacheInHand()
  const begun = cache.revision()
  for (let id = 1n; id <= 10_001n; id++) change(id)
  const between = cache.revision()
  cache.add(read(1n, 50_000n), begun)
  expect([1n, 50_000n].map((id) => cache.cached(id))).toEqual([null, null])
  cache.add(read(1n), between)
  expect(cache.cached(1n)).not.toBeNull()
})

test('the intent cache gives no moment while it would keep nothing', () => {
  const { cache, notify } = cacheInHand()
  notify({ kind: 'lost' })
  expect(cache.revision()).toBeNull()
  expect(cacheInHand(0).cache.revision()).toBeNull()
})

test.each<FeedEvent>([
  changed(1n),
  { kind: 'gap' },
  { kind: 'views' },
  { kind: 'lost' },
])('an intent that may have changed while it was read is read again: %o', async (event) => {
  const { feed, notify } = manualChangeFeed()
  let reads = 0
  const db = createFakeDatabase(() => {
    reads += 1
    if (reads === 1) notify(event)
    return []
  })
  const cache = createIntentCache(db, feed)
  expect(await cache.candidates(1n)).toEqual([])
  expect(reads).toBe(2)
  // Unknown ids would push out the others.
  expect(cache.cached(1n)).toBeNull()
})

test('what was read of an intent before it changed isn’t kept', async () => {
  const { feed, notify } = manualChangeFeed()
  const row = { intentId: 1n, deliveries: [], sequence: 1n, events: [] }
  let reads = 0
  const db = createFakeDatabase(() => {
    reads += 1
    if (reads > 1) return []
    notify(changed(1n))
    return [row]
  })
  const cache = createIntentCache(db, feed)
  expect(await cache.candidates(1n)).toEqual([])
  expect(cache.cached(1n)).toBeNull()
})

test('callers of one intent share one read, which counts against no client’s share', async () => {
  const readers: (string | null)[] = []
  const db = createFakeDatabase(() => {
    readers.push(currentReader())
    return []
  })
  const cache = createIntentCache(db, manualChangeFeed().feed)
  const ask = (client: string) => readingFor(client, () => cache.candidates(1n))
  await Promise.all([ask('a client'), ask('another')])
  expect(readers).toEqual([null])
})
