import type { ChainStateCache } from '../../../services/store/chains/chainStateCache.ts'
import { shownSchemas } from '../../../services/store/chains/readChainStates.ts'
import type { ChangeFeed, FeedEvent } from '../../../services/store/changes/changeFeed.ts'
import type { Db } from '../../../services/store/database/database.ts'
import { type EventUpdate, followEvents } from './followEvents.ts'
import { followIntents, type IntentUpdate } from './followIntents.ts'
import { createSubscriberCounts, type SubscriberCounts } from './subscriberCounts.ts'
import { missedChanges } from './subscriptionErrors.ts'
import { createTopic, type Topic } from './topic.ts'

/** The live updates for subscribers. */
export type LiveUpdates = {
  intents: Topic<IntentUpdate>
  events: Topic<EventUpdate>
  counts: SubscriberCounts
  /** Ends all subscriptions and stops listening. */
  close(): void
}

export type LiveSources = {
  db: Db
  feed: ChangeFeed
  chains: ChainStateCache
  /** Called with failed reads; their subscribers learn that they missed something. */
  onProblem: (error: unknown) => void
}

/** Turns the feed's notices into the present records. */
export function startLiveUpdates(sources: LiveSources): LiveUpdates {
  const intents = createTopic<IntentUpdate>()
  const events = createTopic<EventUpdate>()
  const topics = [intents, events]
  const missed = () => {
    for (const topic of topics) topic.failAll(missedChanges)
  }
  const watchViews = createViewWatch(sources, missed)
  watchViews()
  const handlers = [
    followIntents(sources, intents),
    followEvents(sources, events),
    (event: FeedEvent) => {
      if (event.kind === 'gap') missed()
      if (event.kind === 'views' || event.kind === 'found') watchViews()
    },
  ]
  const unsubscribe = sources.feed.subscribe((event) => {
    for (const handle of handlers) handle(event)
  })
  return {
    intents,
    events,
    counts: createSubscriberCounts(),
    close: () => {
      unsubscribe()
      for (const topic of topics) topic.endAll()
    },
  }
}

/**
 * The views may switch a chain to another schema: a new index, whose rows weren't announced one by
 * one. Subscribers miss nothing of a chain that wasn't shown before.
 */
function createViewWatch({ db, onProblem }: LiveSources, missed: () => void): () => void {
  let known: ReadonlyMap<number, string> = new Map()
  let queue = Promise.resolve()
  const look = async () => {
    const shown = await shownSchemas(db)
    const replaced = [...known].some(([chainId, schema]) => shown.get(chainId) !== schema)
    known = shown
    if (replaced) missed()
  }
  return () => {
    queue = queue.then(look).catch((error) => {
      onProblem(error)
      missed()
    })
  }
}
