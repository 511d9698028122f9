import { sql } from 'kysely'
import { repeat } from '../../process/repeat.ts'
import type { ChangeFeed } from '../../store/changes/changeFeed.ts'
import { ADVISORY_LOCKS } from '../../store/database/advisoryLocks.ts'
import type { Db } from '../../store/database/database.ts'
import { storeProblemOf } from '../../store/database/storeProblem.ts'
import { collectChanges } from './collectChanges.ts'
import { tellPending } from './tellPending.ts'

export type JournalOptions = {
  db: Db
  feed: ChangeFeed
  onProblem: (error: unknown) => void
  /** Called after lines were written. */
  onWritten?: () => void
}

/** Milliseconds until it looks again when nothing was heard of, or when it failed. */
const LOOK_MS = 2_000

/**
 * Keeps the journal up with the index: whenever anything changes, and every two seconds. Several may run,
 * they take turns.
 */
export function keepJournal(options: JournalOptions): { stop(): Promise<void> } {
  const { db, feed, onProblem, onWritten = () => {} } = options
  let wake = () => {}
  let isDue = true
  const stopHearing = feed.subscribe(() => {
    isDue = true
    wake()
  })
  const tell = (error: unknown) => {
    // An index that isn't there yet, or is being swapped, is no fault.
    if (storeProblemOf(error) !== 'not_ready') onProblem(error)
  }
  let stopped = false
  const running = repeat(0, tell, async () => {
    if (!isDue) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, LOOK_MS)
        wake = () => {
          clearTimeout(timer)
          resolve()
        }
        if (stopped || isDue) wake()
      })
    }
    if (stopped) return
    isDue = false
    try {
      if (await updateJournal(db)) onWritten()
    } catch (error) {
      await new Promise((resolve) => setTimeout(resolve, stopped ? 0 : LOOK_MS / 4))
      isDue = true
      throw error
    }
  })
  return {
    stop: async () => {
      stopped = true
      stopHearing()
      const ended = running.stop()
      wake()
      await ended
    },
  }
}

/**
 * Brings the journal up with the index once. Writers take turns from snapshot to commit, so that numbers
 * become visible in their own order.
 *
 * @returns whether anything was written
 */
export async function updateJournal(db: Db): Promise<boolean> {
  return db.connection().execute(async (connection) => {
    const inSnapshot = <Result>(work: (transaction: Db) => Promise<Result>) =>
      connection.transaction().setIsolationLevel('repeatable read').execute(work)
    await sql`select pg_advisory_lock(${ADVISORY_LOCKS.journal})`.execute(connection)
    try {
      let written = 0
      while (await inSnapshot(collectChanges)) {}
      for (;;) {
        const told = await inSnapshot(tellPending)
        written += told.written
        if (told.looked === 0) return written > 0
      }
    } finally {
      await sql`select pg_advisory_unlock(${ADVISORY_LOCKS.journal})`.execute(connection)
    }
  })
}
