import { sql } from 'kysely'
import { ADVISORY_LOCKS } from '../../store/database/advisoryLocks.ts'
import type { Db } from '../../store/database/openDatabase.ts'
import { KEPT_DAYS } from './journalLine.ts'

/** A day longer than the journal's range, so that no deleted event is recorded again. */
const DELETED_AFTER_SECONDS = (KEPT_DAYS + 1) * 86_400

/**
 * Deletes lines that are too old by their chain's time, and records the sequence up to which the journal may have gaps.
 *
 * @returns how many lines were deleted
 */
export async function pruneJournal(db: Db): Promise<number> {
  return db.transaction().execute(async (transaction) => {
    await sql`select pg_advisory_xact_lock(${ADVISORY_LOCKS.journal})`.execute(transaction)
    const { rows } = await sql<{ deleted: number }>`
      with gone as (
        delete from app.push_event line using app.push_chain chain
        where chain.chain_id = line.source_chain_id
          and line.at < chain.timestamp - ${DELETED_AFTER_SECONDS}::bigint
        returning line.sequence
      ), noted as (
        update app.push_cursor set pruned_to = greatest(pruned_to, (select max(sequence) from gone))
        where exists (select from gone)
      )
      select count(*)::int as deleted from gone`.execute(transaction)
    return rows[0]?.deleted ?? 0
  })
}
