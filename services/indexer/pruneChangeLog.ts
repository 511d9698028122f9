import { setTimeout as sleep } from 'node:timers/promises'
import type { Pool } from 'pg'
import type { Logger } from 'pino'
import { repeat } from '../process/repeat.ts'

const EVERY_MS = 3_600_000
/** Lines per statement, and the pause between two, so that writers aren't delayed. */
const BATCH = 2_000
const PAUSE_MS = 50
const KEPT_DAYS = 7

/**
 * Deletes lines of `app.change_log` that are more than a week old, except the newest of each intent, which holds its
 * sequence, and the newest of all.
 *
 * @returns how many were deleted
 */
export async function pruneChangeLog(
  pool: Pool,
  { signal, batch = BATCH }: { signal?: AbortSignal; batch?: number } = {},
): Promise<number> {
  let deleted = 0
  let after = '0'
  while (!signal?.aborted) {
    const { rows } = await pool.query(
      `with looked_at as materialized (
         select sequence, source_chain_id, intent_id,
           changed_at < clock_timestamp() - make_interval(days => ${KEPT_DAYS}) as is_old
         from app.change_log where sequence > $1 order by sequence limit $2
       ), gone as (
         delete from app.change_log using looked_at old
         where change_log.sequence = old.sequence and old.is_old and case when old.intent_id is null
           then old.sequence < (select max(sequence) from app.change_log)
           else exists (
             select 1 from app.change_log newer
             where newer.source_chain_id = old.source_chain_id and newer.intent_id = old.intent_id
               and newer.sequence > old.sequence)
           end
         returning 1
       )
       select (select max(sequence)::text from looked_at) as last,
         (select count(*)::int from looked_at) as looked_at,
         (select bool_or(is_old) from looked_at) as any_old, (select count(*)::int from gone) as gone`,
      [after, batch],
    )
    deleted += rows[0].gone
    // Times increase with sequences, nearly: behind a recent batch everything is recent.
    if (rows[0].looked_at < batch || !rows[0].any_old) break
    after = rows[0].last
    await sleep(PAUSE_MS, undefined, { signal }).catch(() => {})
  }
  return deleted
}

/** Prunes the change log now and every hour until the signal is aborted; a failure is retried. */
export async function keepChangeLogShort(
  pool: Pool,
  { log, signal }: { log: Logger; signal: AbortSignal },
): Promise<void> {
  const prune = async () =>
    log.debug({ deleted: await pruneChangeLog(pool, { signal }) }, 'pruned the change log')
  const onProblem = (error: unknown) => log.debug({ err: error }, 'could not prune the change log')
  await repeat(EVERY_MS, onProblem, prune, { signal }).ended
}
