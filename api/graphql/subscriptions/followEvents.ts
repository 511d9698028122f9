import { LRUCache } from 'lru-cache'
import type { FeedEvent } from '../../../services/store/changes/changeFeed.ts'
import type { Db } from '../../../services/store/database/database.ts'
import {
  type EventKey,
  loadEventRows,
  loadOrphans,
  placeName,
} from '../../../services/store/events/loadEvents.ts'
import type { EventRow } from '../../../src/projection/rows.ts'
import { batchPerTurn } from './batchPerTurn.ts'
import type { LiveSources } from './liveUpdates.ts'
import { missedChanges } from './subscriptionErrors.ts'
import type { Topic } from './topic.ts'

/** What `EventUpdate` of the schema is resolved from. */
export type EventUpdate = { id: string; event: EventRow; isRemoved: boolean }

type Touched = { key: EventKey; isRemoved: boolean }

/** Publishes each event as it is indexed, and again when its block leaves the chain. */
export function followEvents(
  { db, onProblem }: LiveSources,
  topic: Topic<EventUpdate>,
): (event: FeedEvent) => void {
  const known: KnownEvents = new LRUCache({ max: MOST_KNOWN })
  const add = batchPerTurn<Touched>(
    (items) => publish(items, db, topic, known),
    (error) => {
      known.clear()
      onProblem(error)
      topic.failAll(missedChanges)
    },
  )
  return (heard) => {
    if (heard.kind === 'gap' || heard.kind === 'views') known.clear()
    if (heard.kind !== 'change' || heard.change.table !== 'event') return
    // Without subscribers nothing is followed: earlier events may have changed meanwhile.
    if (!topic.hasSubscribers()) return known.clear()
    const { event, operation } = heard.change
    // A line of an earlier version doesn't say which event it was.
    if (event === null) {
      known.clear()
      topic.failAll(missedChanges)
    } else add({ key: event, isRemoved: operation === 'delete' })
  }
}

/** The changes at one place; the first shows whether there was an event before. */
type Place = { key: EventKey; wasThere: boolean; removals: number }

/**
 * Emits for each place how it differs from what was last emitted, however often it was rewritten: a
 * notice doesn't say which block's log it means, and by the time it is read there may be another.
 */
async function publish(
  items: Touched[],
  db: Db,
  topic: Topic<EventUpdate>,
  known: KnownEvents,
): Promise<void> {
  if (!topic.hasSubscribers()) return known.clear()
  const places = placesOf(items)
  const unreported = [...places].filter(([name, { wasThere }]) => wasThere && !known.has(name))
  const orphans = unreported.map(([, { key, removals }]) => ({ ...key, nth: removals }))
  const orphaned = byPlace(await loadOrphans(db, orphans))
  const written = byPlace(
    await loadEventRows(
      db,
      [...places.values()].map(({ key }) => key),
    ),
  )
  for (const name of places.keys()) {
    const before = (known.get(name) ?? { event: orphaned.get(name) }).event
    const after = written.get(name)
    known.set(name, { event: after })
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

/** In the order in which they were last touched. */
function placesOf(items: Touched[]): Map<string, Place> {
  const places = new Map<string, Place>()
  for (const { key, isRemoved } of items) {
    const name = placeName(key)
    const { wasThere = isRemoved, removals = 0 } = places.get(name) ?? {}
    places.delete(name)
    places.set(name, { key, wasThere, removals: removals + Number(isRemoved) })
  }
  return places
}

/** What was last emitted for a place: the event there, or that there is none. */
type KnownEvents = LRUCache<string, { event: EventRow | undefined }>

/** Places remembered: more than a reorg takes back. */
const MOST_KNOWN = 5_000

function byPlace(rows: EventRow[]): Map<string, EventRow> {
  return new Map(rows.map((row) => [placeName(row), row]))
}
