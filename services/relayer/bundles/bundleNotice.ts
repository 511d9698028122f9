import { sql } from 'kysely'
import type { Db } from '../../store/database/database.ts'
import type { IntentKey } from '../../store/intents/storedIntent.ts'

/**
 * Channel that announces each bundle stored or replaced, and each blob that waits to be appended.
 */
export const BUNDLE_CHANNEL = 'cairn_bundle'

/** Notifies when the transaction commits: JSON of `sourceChainId` and `intentId` (decimal text). */
export async function notifyBundle(db: Db, { sourceChainId, intentId }: IntentKey): Promise<void> {
  const notice = JSON.stringify({ sourceChainId, intentId: String(intentId) })
  await sql`select pg_notify(${BUNDLE_CHANNEL}, ${notice})`.execute(db)
}
