import { LRUCache } from 'lru-cache'
import type { ChangeFeed } from '../changes/changeFeed.ts'
import { batchReads } from '../database/batchReads.ts'
import type { Db } from '../database/database.ts'
import { readingForAll } from '../database/fairShare.ts'
import { findAllCandidates, findCandidates } from './findIntent.ts'
import type { StoredIntent } from './storedIntent.ts'

export type IntentCache = {
  /** Every intent with this id (see `findCandidates`). The same objects again until they change. */
  candidates(intentId: bigint): Promise<readonly StoredIntent[]>
  /** The same if it is in memory, else null. */
  kept(intentId: bigint): readonly StoredIntent[] | null
  /** To be taken before reading what is offered then; null while nothing would be kept. */
  moment(): number | null
  /** Keeps what somebody else has read, every intent of an id, but for those that have changed since it began. */
  offer(read: ReadonlyMap<bigint, StoredIntent[]>, begun: number | null): void
  /** Counted since the start. */
  statistics(): { hits: number; misses: number; size: number }
}

type Flight = { found: Promise<StoredIntent[]>; outdated: boolean }

/** A row that changes this often while it is read is read without looking back. */
const ATTEMPTS = 3

/** Intents of which it is remembered when they changed last. */
const CHANGES_REMEMBERED = 10_000

/** Statements that run at once, and intents of one of them at most. */
const TOGETHER = { atOnce: 3, largest: 64 }

/**
 * Keeps the intents asked for last in memory. What the feed says has changed is forgotten before
 * anybody else hears of it, also while it is being read; while the feed is not heard, everything
 * comes from the database. Unknown ids are never kept: they would push the others out.
 *
 * @param capacity intents at most; about 5 kB each
 */
export function createIntentCache(db: Db, feed: ChangeFeed, capacity = 10_000): IntentCache {
  const kept = new LRUCache<bigint, StoredIntent[]>({ max: Math.max(1, capacity) })
  const flights = new Map<bigint, Flight>()
  const counts = { hits: 0, misses: 0 }
  const read = batchReads(TOGETHER, (intentIds: readonly bigint[]) =>
    readingForAll(() => readById(db, intentIds)),
  )

  let changes = 0
  /** The change, by its number, that came last to an intent; none later than `allKnownSince` is missing. */
  const lastChange = new Map<bigint, number>()
  let allKnownSince = 0

  feed.subscribe((event) => {
    if (event.kind === 'clock') return
    changes += 1
    if (event.kind === 'change') forget(event.change.intentId)
    else forgetAll()
  })
  const forgetChanges = () => {
    lastChange.clear()
    allKnownSince = changes
  }
  const forget = (intentId: bigint | null) => {
    if (intentId === null) return
    kept.delete(intentId)
    if (lastChange.size >= CHANGES_REMEMBERED) forgetChanges()
    lastChange.set(intentId, changes)
    const flight = flights.get(intentId)
    if (!flight) return
    flight.outdated = true
    flights.delete(intentId)
  }
  const forgetAll = () => {
    kept.clear()
    forgetChanges()
    for (const flight of flights.values()) flight.outdated = true
    flights.clear()
  }

  const depart = (intentId: bigint): Flight => {
    const flight: Flight = { found: read(intentId), outdated: false }
    flights.set(intentId, flight)
    const land = (intents: StoredIntent[]) => {
      if (flight.outdated) return
      flights.delete(intentId)
      if (intents.length > 0 && feed.isConnected()) keep(intentId, intents)
    }
    flight.found.then(land, () => land([]))
    return flight
  }
  const keep = (intentId: bigint, intents: StoredIntent[]) => {
    if (capacity > 0) kept.set(intentId, intents)
  }

  const recall = (intentId: bigint): readonly StoredIntent[] | null => {
    const known = kept.get(intentId)
    if (!known) return null
    counts.hits += 1
    return known
  }
  const candidates = async (intentId: bigint): Promise<readonly StoredIntent[]> => {
    const known = recall(intentId)
    if (known) return known
    counts.misses += 1
    for (let attempt = 1; feed.isConnected() && attempt <= ATTEMPTS; attempt++) {
      const flight = flights.get(intentId) ?? depart(intentId)
      const intents = await flight.found
      if (!flight.outdated) return intents
    }
    return findCandidates(db, intentId)
  }
  const moment = () => (feed.isConnected() && capacity > 0 ? changes : null)
  const offer = (read: ReadonlyMap<bigint, StoredIntent[]>, begun: number | null) => {
    if (begun === null || !feed.isConnected() || begun < allKnownSince) return
    for (const [intentId, intents] of read) {
      if ((lastChange.get(intentId) ?? 0) <= begun) keep(intentId, intents)
    }
  }
  return {
    candidates,
    kept: recall,
    moment,
    offer,
    statistics: () => ({ ...counts, size: kept.size }),
  }
}

async function readById(db: Db, intentIds: readonly bigint[]): Promise<StoredIntent[][]> {
  const found = await findAllCandidates(db, intentIds)
  const byId = Map.groupBy(found, ({ source }) => source.intentId)
  return intentIds.map((intentId) => byId.get(intentId) ?? [])
}
