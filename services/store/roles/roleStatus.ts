import { sql } from 'kysely'
import type { Db } from '../database/database.ts'

/** Rows of instances that ended long ago are of no use to anybody. */
const FORGET_AFTER = '1 hour'

/** Writes down what an instance of a role says of itself. By its age readers see whether it still runs. */
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

/** Takes away what an instance said that has ended in order, and what those said that are long gone. */
export async function removeRoleStatus(db: Db, role: string, instance: string): Promise<void> {
  await sql`delete from app.role_status where role = ${role}
    and (instance = ${instance} or beat_at < now() - ${FORGET_AFTER}::interval)`.execute(db)
}
