import { sql } from 'kysely'
import type { z } from 'zod'
import type { Db } from '../database/openDatabase.ts'

/** Seconds without a heartbeat after which an instance counts as stopped. */
export const SILENT_AFTER = 10

/**
 * Reads what a role's instances report, the latest first. Omits rows that no instance wrote: one must not hide what the
 * others report.
 *
 * @param schema of the fields that readers use
 * @param options.stoppedToo includes the last reports of instances that have stopped
 */
export async function readRoleStatuses<Status extends object>(
  db: Db,
  role: string,
  schema: z.ZodType,
  { stoppedToo = false }: { stoppedToo?: boolean } = {},
): Promise<Status[]> {
  const { rows } = await sql<{ status: Status }>`select status from app.role_status
    where role = ${role}
      and (${stoppedToo} or beat_at > now() - ${SILENT_AFTER} * interval '1 second')
    order by beat_at desc`.execute(db)
  return rows.map(({ status }) => status).filter((status) => schema.safeParse(status).success)
}
