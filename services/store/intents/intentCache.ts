import { LRUCache } from 'lru-cache'
import type { ChangeFeed } from '../changes/changeFeed.ts'
import { batchReads } from '../database/batchReads.ts'
import { readingForAll } from '../database/fairShares.ts'
import type { Db } from '../database/openDatabase.ts'
import { findAllCandidates, findCandidates } from './intentLookup.ts'
import type { StoredIntent } from './storedIntent.ts'

export type IntentCache = {
  /** Every intent with this id (see `findCandidates`); the same objects until they change. */
  candidates(intentId: bigint): Promise<readonly StoredIntent[]>
  /** Every intent with this id if it is in memory, else null. */
  cached(intentId: bigint): readonly StoredIntent[] | null
  /** To be read before a read of intents begins, and passed to `add`; null while nothing would be cached. */
  revision(): number | null
  /** Caches intents that a caller has read, by id, except those that changed since `begun`. */
  add(read: ReadonlyMap<bigint, StoredIntent[]>, begun: number | null): void
  /** Counted since the start. */
  statistics(): { hits: number; misses: number; size: number }
}

type PendingRead = { result: Promise<StoredIntent[]>; isOutdated: boolean }

/** Attempts to read an intent that changes meanwhile, before a read is accepted as it is. */
const ATTEMPTS = 3

/** Intents whose latest change is remembered. */
const CHANGES_REMEMBERED = 10_000

/** Limits on concurrent statements, and on intents of one statement. */
const BATCHES = { atOnce: 3, largest: 64 }

/**
 * Caches the most recently requested intents. An intent is evicted as soon as the feed reports its change, also while it
 * is being read; while the feed is disconnected everything comes from the database. Unknown ids are never cached: they
 * would push out the others.
 *
 * @param capacity number of intents, of about 5 kB each
 */
export function createIntentCache(db: Db, feed: ChangeFeed, capacity = 10_000): IntentCache {
  const entries = new LRUCache<bigint, StoredIntent[]>({ max: Math.max(1, capacity) })
  const pendingReads = new Map<bigint, PendingRead>()
  const counts = { hits: 0, misses: 0 }
  const read = batchReads(BATCHES, (intentIds: readonly bigint[]) =>
    readingForAll(() => readById(db, intentIds)),
  )

  let changes = 0
  /** Number of each intent's latest change, complete for changes after `completeSince`. */
  const lastChange = new Map<bigint, number>()
  let completeSince = 0

  feed.subscribe((event) => {
    if (event.kind === 'clock') return
    changes += 1
    if (event.kind === 'change') evict(event.change.intentId)
    else evictAll()
  })
  const clearChanges = () => {
    lastChange.clear()
    completeSince = changes
  }
  const evict = (intentId: bigint | null) => {
    if (intentId === null) return
    entries.delete(intentId)
    if (lastChange.size >= CHANGES_REMEMBERED) clearChanges()
    lastChange.set(intentId, changes)
    const pending = pendingReads.get(intentId)
    if (!pending) return
    pending.isOutdated = true
    pendingReads.delete(intentId)
  }
  const evictAll = () => {
    entries.clear()
    clearChanges()
    for (const pending of pendingReads.values()) pending.isOutdated = true
    pendingReads.clear()
  }

  const startRead = (intentId: bigint): PendingRead => {
    const pending: PendingRead = { result: read(intentId), isOutdated: false }
    pendingReads.set(intentId, pending)
    const finish = (intents: StoredIntent[]) => {
      if (pending.isOutdated) return
      pendingReads.delete(intentId)
      if (intents.length > 0 && feed.isConnected()) store(intentId, intents)
    }
    pending.result.then(finish, () => finish([]))
    return pending
  }
  const store = (intentId: bigint, intents: StoredIntent[]) => {
    if (capacity > 0) entries.set(intentId, intents)
  }

  const cached = (intentId: bigint): readonly StoredIntent[] | null => {
    const intents = entries.get(intentId)
    if (!intents) return null
    counts.hits += 1
    return intents
  }
  const candidates = async (intentId: bigint): Promise<readonly StoredIntent[]> => {
    const known = cached(intentId)
    if (known) return known
    counts.misses += 1
    for (let attempt = 1; feed.isConnected() && attempt <= ATTEMPTS; attempt++) {
      const pending = pendingReads.get(intentId) ?? startRead(intentId)
      const intents = await pending.result
      if (!pending.isOutdated) return intents
    }
    return findCandidates(db, intentId)
  }
  return {
    candidates,
    cached,
    revision: () => (feed.isConnected() && capacity > 0 ? changes : null),
    add: (intentsById, begun) => {
      if (begun === null || !feed.isConnected() || begun < completeSince) return
      for (const [intentId, intents] of intentsById) {
        if ((lastChange.get(intentId) ?? 0) <= begun) store(intentId, intents)
      }
    },
    statistics: () => ({ ...counts, size: entries.size }),
  }
}

async function readById(db: Db, intentIds: readonly bigint[]): Promise<StoredIntent[][]> {
  const intents = await findAllCandidates(db, intentIds)
  const byId = Map.groupBy(intents, ({ source }) => source.intentId)
  return intentIds.map((intentId) => byId.get(intentId) ?? [])
}
