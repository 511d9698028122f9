import type { ChangeFeed, FeedEvent } from '../../../services/store/changes/changeFeed.ts'

/** A feed that says what the test tells it to. */
export function manualChangeFeed() {
  const listeners = new Set<(event: FeedEvent) => void>()
  let connected = true
  const feed: ChangeFeed = {
    isConnected: () => connected,
    subscribe: (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    onJournal: () => () => {},
    stop: async () => {},
  }
  const notify = (event: FeedEvent) => {
    if (event.kind === 'lost') connected = false
    if (event.kind === 'found') connected = true
    for (const listener of listeners) listener(event)
  }
  return { feed, notify }
}
