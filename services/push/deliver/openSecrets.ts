import { setImmediate as turn } from 'node:timers/promises'
import { sql } from 'kysely'
import type { Db } from '../../store/database/database.ts'
import { MOST_OPEN, type SecretKey } from './secretKey.ts'

/** Secrets opened per turn of the event loop: a few milliseconds of CPU. */
const AT_ONCE = 50

/** Opens the secrets of all active endpoints, so that the first event after a start doesn't wait for them. */
export async function openSecrets(db: Db, key: SecretKey): Promise<void> {
  const { rows } = await sql<{ endpointId: string; sealed: Buffer }>`
    select endpoint_id as "endpointId", sealed_secret as sealed from app.webhook_endpoint
    where status = 'active' order by created_at desc limit ${MOST_OPEN}`.execute(db)
  for (const [at, { endpointId, sealed }] of rows.entries()) {
    key.open(endpointId, sealed)
    if (at % AT_ONCE === AT_ONCE - 1) await turn()
  }
}
