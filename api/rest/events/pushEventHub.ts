import type { ChangeFeed } from '../../../services/store/changes/changeFeed.ts'
import { findDatabaseProblem } from '../../../services/store/database/databaseProblem.ts'
import type { Db } from '../../../services/store/database/openDatabase.ts'
import {
  type JournalLine,
  matchesFilter,
  type PushFilter,
  readJournalBounds,
  readPushJournal,
} from '../../../services/store/push/readPushJournal.ts'
import { type BoundedQueue, createBoundedQueue } from '../../http/limits/boundedQueue.ts'

/** A reader that follows the journal from a position on. */
type Follower = {
  /** `lines` starts after this one. */
  position: number
  lines: BoundedQueue<JournalLine>
}

/** Reads each new line of the journal once, for all its followers. */
export type EventHub = {
  /** Matching lines from now on. Fails if the reader falls too far behind. */
  follow(filter: PushFilter, onClose: () => void): Promise<Follower>
  /** Ends every stream. */
  close(): void
}

/** Lines queued for a reader. A slower one can reconnect and resume. */
const MAX_QUEUED = 1_000
const PAGE = 500
const RETRY_MS = 1_000

type Following = { filter: PushFilter; queue: BoundedQueue<JournalLine> }

export function createPushEventHub(
  db: Db,
  feed: Pick<ChangeFeed, 'onJournal'>,
  onProblem: (error: unknown) => void,
): EventHub {
  const following = new Set<Following>()
  let position: number | null = null
  let isDue = false
  let running = false
  let retry: NodeJS.Timeout | undefined

  const wake = () => {
    isDue = true
    if (!running && following.size > 0) void readNew()
  }
  const readNew = async () => {
    running = true
    try {
      while (isDue && following.size > 0) {
        isDue = false
        await distributeNew()
      }
    } catch (error) {
      if (findDatabaseProblem(error) === null) onProblem(error)
      isDue = true
      retry = setTimeout(wake, RETRY_MS).unref()
    }
    running = false
    if (isDue && retry === undefined) wake()
  }
  const distributeNew = async () => {
    for (;;) {
      if (position === null) return
      const lines = await readPushJournal(db, {}, { after: position, limit: PAGE })
      for (const line of lines) distribute(line)
      if (lines.length < PAGE) return
    }
  }
  const distribute = (line: JournalLine) => {
    position = line.sequence
    for (const { filter, queue } of [...following])
      if (matchesFilter(line, filter)) queue.push(line)
  }
  const unsubscribe = feed.onJournal(() => {
    clearTimeout(retry)
    retry = undefined
    wake()
  })
  return {
    follow: async (filter, onClose) => {
      // Without followers nothing was read: start at the end.
      const newest = following.size === 0 ? (await readJournalBounds(db)).newest : null
      if (following.size === 0 && newest !== null) position = newest
      const follower: Following = {
        filter,
        queue: createBoundedQueue({
          capacity: MAX_QUEUED,
          overflow: () => new SlowReader(),
          onClose: () => {
            following.delete(follower)
            onClose()
          },
        }),
      }
      following.add(follower)
      wake()
      return { position: position ?? 0, lines: follower.queue }
    },
    close: () => {
      unsubscribe()
      clearTimeout(retry)
      for (const { queue } of [...following]) queue.end()
    },
  }
}

/** The reader's stream ends. It can reconnect with the id of its last event. */
class SlowReader extends Error {
  override name = 'SlowReader'
}
