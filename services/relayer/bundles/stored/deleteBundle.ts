import { sql } from 'kysely'
import type { Db } from '../../../store/database/database.ts'
import type { IntentKey } from '../../../store/intents/storedIntent.ts'

/** Who deleted, for the journal. */
type Deletion = { tokenId: string; requestId: string }

/**
 * Removes what was sent for an intent, and records who did. Its ciphertext stays used: it may come back
 * only for the same intent. What is on chain stays there, sealed.
 */
export function deleteBundle(
  db: Db,
  key: IntentKey,
  { tokenId, requestId }: Deletion,
): Promise<'deleted' | 'not_found'> {
  const requested = sql`source_chain_id = ${key.sourceChainId}::bigint
    and intent_id = ${String(key.intentId)}::numeric`
  return db.transaction().execute(async (transaction) => {
    const deleted = await sql`delete from app.bundle where ${requested}`.execute(transaction)
    if (deleted.numAffectedRows === 0n) return 'not_found'
    await sql`
      insert into app.bundle_deletion (source_chain_id, intent_id, token_id, request_id)
      values (${key.sourceChainId}::bigint, ${String(key.intentId)}::numeric, ${tokenId},
        ${requestId})`.execute(transaction)
    return 'deleted'
  })
}
