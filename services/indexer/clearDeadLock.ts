import type { ClientBase, Pool } from 'pg'

/** How long to wait for the connections of a dying process to close, in milliseconds. */
const PATIENCE_MS = 5_000

/**
 * Removes the mark with which a killed Ponder process still claims its schema, so that the next one
 * need not wait 25 s for it to expire.
 *
 * The caller holds the schema's `ChainLock`, so the supervisor of that process is gone and has taken
 * it along. To be sure, none of its connections may be left; if some are, the mark stays.
 *
 * @returns whether the schema is free to be taken now
 */
export async function clearDeadLock(pool: ClientBase | Pool, schema: string): Promise<boolean> {
  const deadline = Date.now() + PATIENCE_MS
  while (await hasConnections(pool, schema)) {
    if (Date.now() > deadline) return false
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  await pool.query(
    `update "${schema}"._ponder_meta set value = jsonb_set(value, '{is_locked}', '0')
     where value ->> 'is_locked' = '1'`,
  )
  return true
}

async function hasConnections(pool: ClientBase | Pool, schema: string): Promise<boolean> {
  const { rowCount } = await pool.query(
    `select 1 from pg_stat_activity
     where datname = current_database() and application_name in ($1, $2) limit 1`,
    [`${schema}_internal`, `${schema}_user`],
  )
  return rowCount !== 0
}
