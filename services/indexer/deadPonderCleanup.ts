import { setTimeout as sleep } from 'node:timers/promises'
import type { ClientBase, Pool } from 'pg'

/** How long to wait for the connections of a dying process to close, in milliseconds. */
const TIMEOUT_MS = 5_000

/**
 * Removes a killed Ponder process's claim on its schema, so that the next one needn't wait 25 s for it to expire.
 *
 * The caller holds the schema's `ChainLock`, so that process's supervisor is gone, and the process with it. As a
 * precaution, the claim stays if any of its connections remains.
 *
 * @returns whether the schema is free
 */
export async function clearDeadPonderLock(
  pool: ClientBase | Pool,
  schema: string,
): Promise<boolean> {
  const deadline = Date.now() + TIMEOUT_MS
  while (await hasConnections(pool, schema)) {
    if (Date.now() > deadline) return false
    await sleep(50)
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

/**
 * Disables the triggers with which a killed Ponder tracked its live rows; the next Ponder enables them before its first
 * live block. The caller holds the schema's `ChainLock`, and no Ponder is connected.
 */
export async function disablePonderTriggers(pool: Pool, schema: string): Promise<void> {
  const { rows } = await pool.query(
    `select format('alter table %I.%I disable trigger %I', n.nspname, c.relname, t.tgname) as statement
     from pg_trigger t join pg_class c on c.oid = t.tgrelid join pg_namespace n on n.oid = c.relnamespace
     where n.nspname = $1 and not t.tgisinternal and t.tgname not like 'cairn\\_%'`,
    [schema],
  )
  await pool.query(rows.map(({ statement }) => statement).join(';'))
}
