import { repeatWhenNotified } from '../../../services/process/repeatWhenNotified.ts'
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
import { createConcurrencyLimiter } from '../../http/limits/concurrencyLimiter.ts'

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
  /** Runs a follower's own read in its turn. */
  inTurn<Result>(read: () => Promise<Result>): Promise<Result>
  /** Ends every stream. */
  close(): void
}

/** Lines queued for a reader. A slower one can reconnect and resume. */
const MAX_QUEUED = 1_000
const PAGE = 500
const RETRY_MS = 1_000
/**
 * Followers' own reads that run at once. All readers of an API that stops come here at the same moment: each of their reads
 * would wait for a connection, and most in vain.
 */
const READS_AT_ONCE = 4
/** Milliseconds between two reads without a notification. */
const POLL_MS = 2_000

type Following = { filter: PushFilter; queue: BoundedQueue<JournalLine> }

export function createPushEventHub(
  db: Db,
  feed: Pick<ChangeFeed, 'onJournal'>,
  onProblem: (error: unknown) => void,
): EventHub {
  const following = new Set<Following>()
  // Open streams are limited, so the queue needs no limit.
  const limiter = createConcurrencyLimiter(READS_AT_ONCE, Number.POSITIVE_INFINITY)
  let position: number | null = null
  let wake = () => {}

  const distributeNew = async () => {
    while (position !== null && following.size > 0) {
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
  const reading = repeatWhenNotified(
    {
      everyMs: POLL_MS,
      afterFailureMs: RETRY_MS,
      onProblem: (error) => {
        if (findDatabaseProblem(error) === null) onProblem(error)
      },
      listen: (due) => {
        wake = due
        return feed.onJournal(due)
      },
    },
    distributeNew,
  )
  return {
    follow: async (filter, onClose) => {
      // Without followers nothing was read: start at the end.
      const newest = following.size === 0 ? (await readJournalBounds(db)).newest : null
      if (following.size === 0 && newest !== null) position = newest
      const follower: Following = {
        filter,
        queue: createBoundedQueue({
          capacity: MAX_QUEUED,
          // The reader's stream ends. It can reconnect with the id of its last event.
          overflow: () => new Error('the reader is too slow'),
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
    inTurn: limiter.pass,
    close: () => {
      void reading.stop()
      for (const { queue } of [...following]) queue.end()
    },
  }
}
