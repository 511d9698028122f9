import { sql } from 'kysely'
import type { Db } from '../store/database/openDatabase.ts'

const KEPT_DAYS = 90

/** Endpoints per statement. */
const BATCH = 1_000

/**
 * Deletes wallets' disabled endpoints without activity for `KEPT_DAYS`, with their deliveries: a wallet costs nothing, and
 * each may leave some behind. Keeps operators': one may have been disabled just now.
 *
 * @returns how many were deleted
 */
export async function pruneEndpoints(db: Db): Promise<number> {
  const before = sql`now() - ${KEPT_DAYS} * interval '1 day'`
  let deleted = 0
  for (;;) {
    const { rows } = await sql<{ gone: number }>`
      with gone as (
        delete from app.webhook_endpoint where status = 'disabled' and endpoint_id = any(array(
          select endpoint_id from app.webhook_endpoint
          where status = 'disabled' and owner is not null and created_at < ${before}
            and greatest(attempted_at, succeeded_at, to_timestamp(least(acted_at, 1e10)), created_at) < ${before}
          order by created_at limit ${BATCH}))
        returning 1)
      select count(*)::integer as gone from gone`.execute(db)
    const { gone } = rows[0]!
    deleted += gone
    if (gone < BATCH) return deleted
  }
}
