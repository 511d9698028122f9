import type { ClientBase } from 'pg'
import { ADVISORY_LOCK_CLASSES } from './advisoryLocks.ts'

/** Takes an advisory lock until the connection ends; false while another connection holds it. */
export async function tryLock(
  client: ClientBase,
  lock: keyof typeof ADVISORY_LOCK_CLASSES,
  name: string,
): Promise<boolean> {
  const { rows } = await client.query('select pg_try_advisory_lock($1, hashtext($2)) as taken', [
    ADVISORY_LOCK_CLASSES[lock],
    name,
  ])
  return rows[0].taken
}
