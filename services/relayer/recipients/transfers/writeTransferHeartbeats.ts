import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { repeat } from '../../../process/repeat.ts'
import { openDatabase } from '../../../store/database/database.ts'
import type { TransferFollower, TransferReport } from './startTransferFollower.ts'

/** How the following of each chain's transfers goes, as each instance writes it down once a second. */
export type TransfersStatus = { chains: TransferReport[] }

const BEAT_MS = 1_000

/** Writes down how this process's followers are, until stopped. */
export function writeTransferHeartbeats(
  databaseUrl: string,
  followers: readonly TransferFollower[],
): { stop(): Promise<void> } {
  const { db, close } = openDatabase({ databaseUrl, connections: 1 })
  const instance = randomUUID()
  // Whoever reads it sees by its age that the database was away.
  const beating = repeat(
    BEAT_MS,
    () => {},
    async () => {
      const status: TransfersStatus = { chains: followers.map((follower) => follower.report()) }
      await sql`insert into app.role_status (role, instance, status)
      values ('transfers', ${instance}, ${JSON.stringify(status)}::jsonb)
      on conflict (role, instance) do update
        set status = excluded.status, beat_at = clock_timestamp()`.execute(db)
    },
  )
  return {
    stop: async () => {
      await beating.stop()
      await sql`delete from app.role_status where role = 'transfers'
        and (instance = ${instance} or beat_at < now() - interval '1 hour')`
        .execute(db)
        .catch(() => {})
      await close()
    },
  }
}
