import type { ChangeFeed } from '../../../services/store/changes/changeFeed.ts'
import type { Db } from '../../../services/store/database/database.ts'
import { storeProblemOf } from '../../../services/store/database/storeProblem.ts'
import {
  type JournalLine,
  journalBounds,
  matchesFilter,
  type PushFilter,
  readJournal,
} from '../../../services/store/push/readJournal.ts'
import { type BoundedQueue, boundedQueue } from '../../http/limits/boundedQueue.ts'

/** A reader who follows the journal from a position on. */
type Follower = {
  /** Lines up to this one are not among `lines`. */
  position: number
  lines: BoundedQueue<JournalLine>
}

/** Reads each new line of the journal once, for all who follow it. */
export type EventHub = {
  /** Matching lines, from now on. Ends when its reader lets too many wait. */
  follow(filter: PushFilter, onClose: () => void): Promise<Follower>
  /** Ends every stream. */
  close(): void
}

/** Lines that wait for a slow reader, which can reconnect and resume. */
const MAX_WAITING = 1_000
const PAGE = 500
const RETRY_MS = 1_000

type Following = { filter: PushFilter; queue: BoundedQueue<JournalLine> }

export function createEventHub(
  db: Db,
  feed: Pick<ChangeFeed, 'onJournal'>,
  onProblem: (error: unknown) => void,
): EventHub {
  const following = new Set<Following>()
  let position: number | null = null
  let isDue = false
  let running = false
  let retry: NodeJS.Timeout | undefined

  const hear = () => {
    isDue = true
    if (!running && following.size > 0) void readOn()
  }
  const readOn = async () => {
    running = true
    try {
      while (isDue && following.size > 0) {
        isDue = false
        await passNew()
      }
    } catch (error) {
      if (storeProblemOf(error) === null) onProblem(error)
      isDue = true
      retry = setTimeout(hear, RETRY_MS).unref()
    }
    running = false
    if (isDue && retry === undefined) hear()
  }
  const passNew = async () => {
    for (;;) {
      if (position === null) return
      const lines = await readJournal(db, {}, { after: position, limit: PAGE })
      for (const line of lines) pass(line)
      if (lines.length < PAGE) return
    }
  }
  const pass = (line: JournalLine) => {
    position = line.sequence
    for (const { filter, queue } of [...following])
      if (matchesFilter(line, filter)) queue.push(line)
  }
  const leave = feed.onJournal(() => {
    clearTimeout(retry)
    retry = undefined
    hear()
  })
  return {
    follow: async (filter, onClose) => {
      // Nobody followed: the caller reads what was written meanwhile.
      const newest = following.size === 0 ? (await journalBounds(db)).newest : null
      if (following.size === 0 && newest !== null) position = newest
      const one: Following = {
        filter,
        queue: boundedQueue({
          capacity: MAX_WAITING,
          overflow: () => new SlowReader(),
          onClose: () => {
            following.delete(one)
            onClose()
          },
        }),
      }
      following.add(one)
      hear()
      return { position: position ?? 0, lines: one.queue }
    },
    close: () => {
      leave()
      clearTimeout(retry)
      for (const { queue } of [...following]) queue.end()
    },
  }
}

/** Its stream ends; it can come back with the id of the last event that it has. */
class SlowReader extends Error {
  override name = 'SlowReader'
}
