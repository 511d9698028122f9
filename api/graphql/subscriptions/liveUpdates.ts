import type { ChainStateCache } from '../../../services/store/chains/chainStateCache.ts'
import { shownSchemas } from '../../../services/store/chains/readChainStates.ts'
import type { ChangeFeed, FeedEvent } from '../../../services/store/changes/changeFeed.ts'
import { findDatabaseProblem } from '../../../services/store/database/databaseProblem.ts'
import type { Db } from '../../../services/store/database/openDatabase.ts'
import { type EventUpdate, publishEventUpdates } from './publishEventUpdates.ts'
import { type IntentUpdate, publishIntentUpdates } from './publishIntentUpdates.ts'
import { createTopic, type Topic } from './publishSubscribeTopic.ts'
import { missedChanges } from './subscriptionErrors.ts'
import { createSubscriptionLimiter, type SubscriptionLimiter } from './subscriptionLimiter.ts'

export type LiveUpdates = {
  intents: Topic<IntentUpdate>
  events: Topic<EventUpdate>
  counts: SubscriptionLimiter
  /** Ends all subscriptions and stops listening. */
  close(): void
}

export type LiveSources = {
  db: Db
  feed: ChangeFeed
  chains: ChainStateCache
  /**
   * Called with unexpected errors of reads. An unreachable or slow database isn't one: the feed reports it. Either way,
   * subscribers get MISSED_CHANGES.
   */
  onProblem: (error: unknown) => void
}

/** Turns the feed's notices into updates with the current records. */
export function startLiveUpdates(options: LiveSources): LiveUpdates {
  const onProblem = (error: unknown) => {
    if (findDatabaseProblem(error) === null) options.onProblem(error)
  }
  const sources = { ...options, onProblem }
  const intents = createTopic<IntentUpdate>()
  const events = createTopic<EventUpdate>()
  const topics = [intents, events]
  const missed = () => {
    for (const topic of topics) topic.failAll(missedChanges)
  }
  const watchViews = createViewWatch(sources, missed)
  watchViews()
  const handlers = [
    publishIntentUpdates(sources, intents),
    publishEventUpdates(sources, events),
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
    counts: createSubscriptionLimiter(),
    close: () => {
      unsubscribe()
      for (const topic of topics) topic.endAll()
    },
  }
}

/**
 * Notices when the views switch a chain to another schema. That is a new index, whose rows weren't announced one by
 * one, so its subscribers missed changes. A chain that is shown for the first time has no such subscribers.
 */
function createViewWatch({ db, onProblem }: LiveSources, missed: () => void): () => void {
  let schemas: ReadonlyMap<number, string> = new Map()
  let queue = Promise.resolve()
  const check = async () => {
    const shown = await shownSchemas(db)
    const isReplaced = [...schemas].some(([chainId, schema]) => shown.get(chainId) !== schema)
    schemas = shown
    if (isReplaced) missed()
  }
  return () => {
    queue = queue.then(check).catch((error) => {
      onProblem(error)
      missed()
    })
  }
}
