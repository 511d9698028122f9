import { setTimeout as sleep } from 'node:timers/promises'
import type { Pool } from 'pg'
import type { Logger } from 'pino'
import { type Repeated, repeat } from '../process/repeat.ts'

const EVERY_MS = 3_600_000
/** Lines per statement, and the pause between two, so that writers aren't delayed. */
const BATCH = 2_000
const PAUSE_MS = 50
const KEPT_DAYS = 7

/** How many lines were deleted, and the sequence up to which all are old and examined. */
type Pruned = { deleted: number; upTo: string }

/**
 * Deletes lines of `app.change_log` that are more than a week old, except the newest of each intent, which holds its
 * sequence, and the newest of all.
 *
 * @param options.after where the previous run ended. What that run kept is deleted with the intent's next old line
 */
export async function pruneChangeLog(
  pool: Pool,
  {
    signal,
    batch = BATCH,
    after = '0',
  }: { signal?: AbortSignal; batch?: number; after?: string } = {},
): Promise<Pruned> {
  let deleted = 0
  let upTo = after
  while (!signal?.aborted) {
    const { rows } = await pool.query(
      `with looked_at as materialized (
         select sequence, source_chain_id, intent_id,
           changed_at < clock_timestamp() - make_interval(days => ${KEPT_DAYS}) as is_old
         from app.change_log
         where sequence > $1 and sequence < (select max(sequence) from app.change_log)
         order by sequence limit $2
       ), gone as (
         delete from app.change_log line using looked_at old
         where old.is_old and line.source_chain_id = old.source_chain_id
           and line.intent_id = old.intent_id and line.sequence <= old.sequence
           and exists (
             select 1 from app.change_log newer
             where newer.source_chain_id = line.source_chain_id and newer.intent_id = line.intent_id
               and newer.sequence > line.sequence)
         returning 1
       ), of_no_intent as (
         delete from app.change_log line using looked_at old
         where old.is_old and old.intent_id is null and line.sequence = old.sequence
         returning 1
       )
       select (select coalesce(min(sequence) filter (where not is_old) - 1, max(sequence))::text from looked_at) as last,
         (select count(*)::int from looked_at where is_old) as old,
         (select count(*)::int from gone) + (select count(*)::int from of_no_intent) as gone`,
      [upTo, batch],
    )
    const { last, old, gone } = rows[0]
    deleted += gone
    upTo = last ?? upTo
    // Times nearly increase with sequences: after the first recent line, all are recent.
    if (old < batch) break
    await sleep(PAUSE_MS, undefined, { signal }).catch(() => {})
  }
  return { deleted, upTo }
}

/** Prunes the change log now and every hour; a failure is retried. */
export function keepChangeLogShort(pool: Pool, log: Logger): Repeated {
  let after = '0'
  const onProblem = (error: unknown) => log.debug({ err: error }, 'could not prune the change log')
  return repeat(EVERY_MS, onProblem, async (signal) => {
    const { deleted, upTo } = await pruneChangeLog(pool, { signal, after })
    after = upTo
    log.debug({ deleted }, 'pruned the change log')
  })
}
