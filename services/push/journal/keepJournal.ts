import { sql } from 'kysely'
import type { Repeated } from '../../process/repeat.ts'
import { repeatWhenNotified } from '../../process/repeatWhenNotified.ts'
import type { ChangeFeed } from '../../store/changes/changeFeed.ts'
import { skipUsedNumbersSql } from '../../store/changes/skipUsedNumbersSql.ts'
import { ADVISORY_LOCKS } from '../../store/database/advisoryLocks.ts'
import { findDatabaseProblem } from '../../store/database/databaseProblem.ts'
import type { Db } from '../../store/database/openDatabase.ts'
import { KEPT_DAYS } from './journalLine.ts'
import { queueJournalWork } from './queueJournalWork.ts'
import { writePendingChanges } from './writePendingChanges.ts'

type JournalOptions = {
  db: Db
  feed: ChangeFeed
  onProblem: (error: unknown) => void
  /** See `writePendingChanges`. */
  onUnreadable: (error: unknown) => void
}

/** Milliseconds between two polls without a notification. */
const POLL_MS = 2_000

/**
 * Updates the journal whenever the index changes, and every two seconds. Several instances may run: they take turns.
 */
export function keepJournal(options: JournalOptions): Repeated {
  const { db, feed, onProblem, onUnreadable } = options
  // Another connection may be to another server, or to a restored database.
  let mayRepeatNumbers = true
  const stopWatching = feed.subscribe(({ kind }) => {
    if (kind === 'found') mayRepeatNumbers = true
  })
  const repeated = repeatWhenNotified(
    {
      everyMs: POLL_MS,
      afterFailureMs: POLL_MS / 4,
      listen: (onWork) => feed.subscribe(onWork),
      onProblem: (error) => {
        // The index may be missing or being replaced.
        if (findDatabaseProblem(error) !== 'not_ready') onProblem(error)
      },
    },
    async () => {
      const mustSkip = mayRepeatNumbers
      mayRepeatNumbers = false
      try {
        if (mustSkip) await sql.raw(skipUsedNumbersSql('app.push_event')).execute(db)
        await updateJournal(db, onUnreadable)
      } catch (error) {
        // The next statement may find a restored database before the feed does.
        mayRepeatNumbers = true
        throw error
      }
    },
  )
  return {
    stop: async () => {
      stopWatching()
      await repeated.stop()
    },
  }
}

/**
 * Updates the journal from the index once. Writers take turns from snapshot to commit, so that sequence numbers become
 * visible in order.
 *
 * @param onUnreadable see `writePendingChanges`
 * @returns whether anything was written
 */
export async function updateJournal(
  db: Db,
  onUnreadable?: (error: unknown) => void,
): Promise<boolean> {
  return db.connection().execute(async (connection) => {
    const inSnapshot = <Result>(work: (transaction: Db) => Promise<Result>) =>
      connection.transaction().setIsolationLevel('repeatable read').execute(work)
    await sql`select pg_advisory_lock(${ADVISORY_LOCKS.journal})`.execute(connection)
    try {
      let written = 0
      for (;;) {
        // In each pass: examining all that is pending may take hours, and new events mustn't wait for it.
        while (await inSnapshot(queueJournalWork)) {}
        const done = await inSnapshot((snapshot) => writePendingChanges(snapshot, onUnreadable))
        written += done.written
        // Later events wait for the next run: other work, such as pruning, gets its turn.
        if (!done.mayHaveMore) return written > 0
      }
    } finally {
      await sql`select pg_advisory_unlock(${ADVISORY_LOCKS.journal})`.execute(connection)
    }
  })
}

/** A day longer than the journal's range, so that no deleted event is recorded again. */
const DELETED_AFTER_SECONDS = (KEPT_DAYS + 1) * 86_400

/** Lines per transaction: nothing is recorded while one runs. */
const PRUNED_AT_ONCE = 2_000

/**
 * Deletes lines that are too old by their chain's time, and records the sequence up to which the journal may have gaps. A
 * chain out of service has no index, and its clock stands still: its lines age by the latest clock of any chain. No line
 * ages faster than by the database's clock: a false head may be far in the future.
 *
 * @returns how many lines were deleted
 */
export async function pruneJournal(db: Db, batch = PRUNED_AT_ONCE): Promise<number> {
  let deleted = 0
  for (;;) {
    const last = await pruneOldest(db, batch)
    deleted += last
    if (last < batch) return deleted
  }
}

function pruneOldest(db: Db, limit: number): Promise<number> {
  return db.transaction().execute(async (transaction) => {
    await sql`select pg_advisory_xact_lock(${ADVISORY_LOCKS.journal})`.execute(transaction)
    const { rows } = await sql<{ deleted: number }>`
      with chain as (
        select chain_id, case when exists (select from app.projection p where p.chain_id = seen.chain_id and p.active)
          then timestamp else (select max(timestamp) from app.push_chain) end as time
        from app.push_chain seen
      ), old as materialized (
        select line.sequence from chain
        cross join lateral (select sequence from app.push_event line
          where line.source_chain_id = chain.chain_id
            and line.at < least(chain.time, extract(epoch from now())::bigint) - ${DELETED_AFTER_SECONDS}::bigint
          order by line.at limit ${limit}) line
        limit ${limit}
      ), gone as (
        delete from app.push_event line where line.sequence = any(array(select sequence from old))
        returning line.sequence
      ), noted as (
        update app.push_cursor set pruned_to = greatest(pruned_to, (select max(sequence) from gone))
        where exists (select from gone)
      )
      select count(*)::int as deleted from gone`.execute(transaction)
    return rows[0]?.deleted ?? 0
  })
}
