import type { Pool } from 'pg'

/** Seconds without a heartbeat after which a worker counts as dead. */
const DEAD_AFTER = 5

/**
 * Frees the jobs of workers that were killed, so that others run them within seconds: the queue itself
 * would wait four hours. A slow but living worker loses nothing by it, since running a reaction twice
 * has no second effect.
 *
 * @returns how many workers were found dead
 */
export async function releaseDeadWorkers(pool: Pool): Promise<number> {
  const { rows } = await pool.query(
    `select distinct locked_by from graphile_worker.jobs job
     where locked_by is not null and locked_at < now() - $1 * interval '1 second'
       and not exists (select from app.role_status role
         where role.role = 'reactions' and role.beat_at > now() - $1 * interval '1 second'
           and role.status -> 'workers' ? job.locked_by)`,
    [DEAD_AFTER],
  )
  const dead = rows.map(({ locked_by }) => locked_by)
  if (dead.length > 0) {
    await pool.query('select graphile_worker.force_unlock_workers($1::text[])', [dead])
  }
  return dead.length
}
