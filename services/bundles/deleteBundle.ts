import { sql } from 'kysely'
import type { Db } from '../store/database.ts'
import type { IntentKey } from '../store/storedIntent.ts'
import { lockHandling } from './lockHandling.ts'

/** Who deleted, for the journal. */
export type Deletion = { tokenId: string; requestId: string }

/**
 * Removes an intent's bundle with its replacements, and writes down who did. Its ciphertext stays used:
 * it may come back for the same intent only. What is on chain stays there, sealed.
 *
 * @param isOver whether a chain event has ended the intent for good: while it hasn't, a bundle that was
 *   handed over to be anchored is what a winner has to pay, and is kept
 */
export function deleteBundle(
  db: Db,
  key: IntentKey,
  isOver: boolean,
  { tokenId, requestId }: Deletion,
): Promise<'deleted' | 'not_found' | 'in_progress'> {
  const wanted = sql`source_chain_id = ${key.sourceChainId}::bigint
    and intent_id = ${String(key.intentId)}::numeric`
  return db.transaction().execute(async (transaction) => {
    const { anchoringAt } = await lockHandling(transaction, key)
    const { rows } = await sql`select from app.bundle where ${wanted}`.execute(transaction)
    if (rows.length === 0) return 'not_found'
    if (!isOver && anchoringAt) return 'in_progress'
    await sql`delete from app.bundle where ${wanted}`.execute(transaction)
    await sql`delete from app.appended_blob
      where ${wanted} and purpose = 'bundle'`.execute(transaction)
    await sql`delete from app.bundle_handling where ${wanted}`.execute(transaction)
    await sql`
      insert into app.bundle_deletion (source_chain_id, intent_id, token_id, request_id)
      values (${key.sourceChainId}::bigint, ${String(key.intentId)}::numeric, ${tokenId},
        ${requestId})`.execute(transaction)
    return 'deleted'
  })
}
