import { LRUCache } from 'lru-cache'
import type { FeedEvent } from '../../../services/store/changes/changeFeed.ts'
import type { Db } from '../../../services/store/database/openDatabase.ts'
import {
  type EventKey,
  loadEventRows,
  loadOrphans,
  placeName,
} from '../../../services/store/events/loadEvents.ts'
import type { EventRow } from '../../../src/projection/rowTypes.ts'
import { batchPerEventLoopTurn } from './batchPerEventLoopTurn.ts'
import type { LiveSources } from './liveUpdates.ts'
import type { Topic } from './publishSubscribeTopic.ts'
import { missedChanges } from './subscriptionErrors.ts'

/** Source object of `EventUpdate`. */
export type EventUpdate = { id: string; event: EventRow; isRemoved: boolean }

type EventChange = { key: EventKey; isRemoved: boolean }

/** Publishes each event when it is indexed, and again when a reorg removes it. */
export function publishEventUpdates(
  { db, onProblem }: LiveSources,
  topic: Topic<EventUpdate>,
): (event: FeedEvent) => void {
  const published: PublishedEvents = new LRUCache({ max: MAX_PUBLISHED })
  const add = batchPerEventLoopTurn<EventChange>(
    (items) => publish(items, db, topic, published),
    (error) => {
      published.clear()
      onProblem(error)
      topic.failAll(missedChanges)
    },
  )
  return (notice) => {
    if (notice.kind === 'gap' || notice.kind === 'views') published.clear()
    if (notice.kind !== 'change' || notice.change.table !== 'event') return
    // Without subscribers no change is followed, so what was published before may be outdated.
    if (!topic.hasSubscribers()) return published.clear()
    const { event, operation } = notice.change
    // A change logged by an earlier version doesn't name its event.
    if (event === null) {
      published.clear()
      topic.failAll(missedChanges)
    } else add({ key: event, isRemoved: operation === 'delete' })
  }
}

/** The changes at one place in a chain. `existedBefore`: the first of them was a removal. */
type Place = { key: EventKey; existedBefore: boolean; removals: number }

/**
 * Publishes how each place differs from what was last published for it, however often it was rewritten. A notice
 * doesn't name the block of its log, and by the time it is read the place may hold the log of another block.
 */
async function publish(
  items: EventChange[],
  db: Db,
  topic: Topic<EventUpdate>,
  published: PublishedEvents,
): Promise<void> {
  if (!topic.hasSubscribers()) return published.clear()
  const places = placesOf(items)
  const unreported = [...places].filter(
    ([name, { existedBefore }]) => existedBefore && !published.has(name),
  )
  const orphans = unreported.map(([, { key, removals }]) => ({ ...key, nth: removals }))
  const orphaned = byPlace(await loadOrphans(db, orphans))
  const written = byPlace(
    await loadEventRows(
      db,
      [...places.values()].map(({ key }) => key),
    ),
  )
  for (const name of places.keys()) {
    const before = (published.get(name) ?? { event: orphaned.get(name) }).event
    const after = written.get(name)
    published.set(name, { event: after })
    if (before?.blockHash === after?.blockHash) continue
    if (before) topic.publish(update(before, true))
    if (after) topic.publish(update(after, false))
  }
}

function update(event: EventRow, isRemoved: boolean): EventUpdate {
  const { chainId, blockNumber, logIndex, blockHash } = event
  const place = `${chainId}:${blockNumber}:${logIndex}:${blockHash}`
  return { id: `EventUpdate:${place}${isRemoved ? ':removed' : ''}`, event, isRemoved }
}

/** In the order of their last changes. */
function placesOf(items: EventChange[]): Map<string, Place> {
  const places = new Map<string, Place>()
  for (const { key, isRemoved } of items) {
    const name = placeName(key)
    const { existedBefore = isRemoved, removals = 0 } = places.get(name) ?? {}
    places.delete(name)
    places.set(name, { key, existedBefore, removals: removals + Number(isRemoved) })
  }
  return places
}

/** What was last published for each place: its event, or that it has none. */
type PublishedEvents = LRUCache<string, { event: EventRow | undefined }>

/** More places than a reorg rewrites. */
const MAX_PUBLISHED = 5_000

function byPlace(rows: EventRow[]): Map<string, EventRow> {
  return new Map(rows.map((row) => [placeName(row), row]))
}
