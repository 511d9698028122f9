import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { type Repeated, repeat } from '../../process/repeat.ts'
import type { Db } from '../../store/database/database.ts'

/** What an instance of the role says of itself. */
export type PushStatus = {
  /** It has the key of the webhooks' secrets. */
  delivers: boolean
}

const EVERY_MS = 1_000

/** Writes down once a second that this instance runs, until stopped. */
export function writePushHeartbeats(db: Db, status: PushStatus): Repeated {
  const instance = randomUUID()
  const writing = repeat(
    EVERY_MS,
    // Whoever reads it sees by its age that the database was away.
    () => {},
    async () => {
      await sql`insert into app.role_status (role, instance, status)
        values ('push', ${instance}, ${JSON.stringify(status)}::jsonb)
        on conflict (role, instance) do update
          set status = excluded.status, beat_at = clock_timestamp()`.execute(db)
    },
  )
  return {
    stop: async () => {
      await writing.stop()
      await sql`delete from app.role_status where role = 'push'
        and (instance = ${instance} or beat_at < now() - interval '1 hour')`
        .execute(db)
        .catch(() => {})
    },
  }
}
