import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { type Repeated, repeat } from '../../process/repeat.ts'
import type { Db } from '../database/openDatabase.ts'

const HEARTBEAT_MS = 1_000

/** Age at which an instance's status is deleted. */
const FORGET_AFTER = '1 hour'

/**
 * Writes this instance's status once a second; its age shows whether the instance still runs. Deletes it when
 * stopped; at its start, deletes those of killed instances.
 *
 * @param onProblem by default nothing: the status gets older
 */
export function writeRoleHeartbeats<Status extends object>(
  db: Db,
  role: string,
  status: () => Status,
  onProblem: (error: unknown) => void = () => {},
): Repeated {
  const instance = randomUUID()
  let isFirst = true
  const writing = repeat(HEARTBEAT_MS, onProblem, async () => {
    await write(db, role, instance, status())
    if (isFirst) await forgetDead(db, role)
    isFirst = false
  })
  return {
    stop: async () => {
      await writing.stop()
      await remove(db, role, instance).catch(() => {})
    },
  }
}

async function write(db: Db, role: string, instance: string, status: object): Promise<void> {
  await sql`insert into app.role_status (role, instance, status)
    values (${role}, ${instance}, ${JSON.stringify(status)}::jsonb)
    on conflict (role, instance) do update
      set status = excluded.status, beat_at = clock_timestamp()`.execute(db)
}

async function remove(db: Db, role: string, instance: string): Promise<void> {
  await sql`delete from app.role_status
    where role = ${role} and instance = ${instance}`.execute(db)
}

async function forgetDead(db: Db, role: string): Promise<void> {
  await sql`delete from app.role_status
    where role = ${role} and beat_at < now() - ${FORGET_AFTER}::interval`.execute(db)
}
