import { sql } from 'kysely'
import type { Db } from '../database/database.ts'

/** Age at which an instance's status is deleted. */
const FORGET_AFTER = '1 hour'

/** Writes an instance's status and heartbeat, whose age shows whether the instance still runs. */
export async function writeRoleStatus(
  db: Db,
  role: string,
  instance: string,
  status: object,
): Promise<void> {
  await sql`insert into app.role_status (role, instance, status)
    values (${role}, ${instance}, ${JSON.stringify(status)}::jsonb)
    on conflict (role, instance) do update
      set status = excluded.status, beat_at = clock_timestamp()`.execute(db)
}

/** Deletes the status of an instance that shut down cleanly, and of those that died long ago. */
export async function removeRoleStatus(db: Db, role: string, instance: string): Promise<void> {
  await sql`delete from app.role_status where role = ${role}
    and (instance = ${instance} or beat_at < now() - ${FORGET_AFTER}::interval)`.execute(db)
}
