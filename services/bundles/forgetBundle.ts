import { sql } from 'kysely'
import type { Db } from '../store/database.ts'
import type { IntentKey } from '../store/storedIntent.ts'
import { lockHandling } from './lockHandling.ts'

/**
 * Forgets the recipients stored for an intent that is no more: a reorg took its creation away, and
 * another sender's has the id now. Its ciphertext may be used again, by the sender who made it.
 */
export function forgetBundle(db: Db, key: IntentKey): Promise<void> {
  const { sourceChainId, intentId } = key
  const ofIntent = sql`source_chain_id = ${sourceChainId}::bigint
    and intent_id = ${String(intentId)}::numeric`
  return db.transaction().execute(async (transaction) => {
    await lockHandling(transaction, key)
    for (const table of ['used_ciphertext', 'appended_blob', 'bundle', 'bundle_handling']) {
      await sql`delete from ${sql.table(`app.${table}`)} where ${ofIntent}`.execute(transaction)
    }
  })
}
