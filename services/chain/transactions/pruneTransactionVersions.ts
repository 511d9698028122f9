import { setTimeout as pause } from 'node:timers/promises'
import type pg from 'pg'
import { tryLock } from '../../store/database/advisoryLocks.ts'

/** Days after a transaction's end: far more than any reorg or backup goes back. */
const KEPT_DAYS = 30

/** Versions per statement, and milliseconds between two. */
const BATCH = 1_000
const PAUSE_MS = 50

/** SQL: whether a time is longer ago than versions are kept. */
const isOld = (column: string) => `${column} < now() - interval '${KEPT_DAYS} days'`

/**
 * Deletes the signed versions of transactions that ended long ago, which nothing reads any more: a transaction that is
 * reopened is signed anew. The transactions stay, with the hashes of their mined versions. Does nothing while another
 * connection prunes.
 *
 * @returns how many were deleted
 */
export async function pruneTransactionVersions(
  db: pg.ClientBase,
  { signal, batch = BATCH }: { signal?: AbortSignal; batch?: number } = {},
): Promise<number> {
  if (!(await tryLock(db, 'pruning', 'transaction_version'))) return 0
  let deleted = 0
  let after = '0'
  while (!signal?.aborted) {
    const { rows } = await db.query(
      `with page as materialized (
         select hash, transaction_id, ${isOld('signed_at')} as is_old
         from app.transaction_version where transaction_id > $1 order by transaction_id limit $2
       ), gone as (
         delete from app.transaction_version v using app.transaction t
         -- A later transaction that signs the same bytes takes the row over: its own end counts.
         where v.hash = any(array(select hash from page)) and t.id = v.transaction_id
           and t.state in ('confirmed', 'failed', 'superseded') and ${isOld('t.changed_at')}
         returning 1
       )
       select (select max(transaction_id)::text from page) as last,
         (select bool_or(is_old) from page) as has_old, (select count(*)::integer from gone) as gone`,
      [after, batch],
    )
    const [{ last, has_old: hasOld, gone }] = rows
    deleted += gone
    // Times grow with ids, nearly: after a recent page, everything is recent.
    if (!hasOld) return deleted
    after = last
    await pause(PAUSE_MS, undefined, { signal }).catch(() => {})
  }
  return deleted
}
