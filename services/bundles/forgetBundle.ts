import { sql } from 'kysely'
import type { Hex } from '../../src/event/bridgeEvent.ts'
import type { Db } from '../store/database.ts'
import type { IntentKey } from '../store/storedIntent.ts'
import { asBytes } from './claimCiphertext.ts'
import { findBundle } from './findBundle.ts'
import { lockHandling } from './lockHandling.ts'

/**
 * Forgets what was stored for an intent that is no more: a reorg took its creation away, and another
 * sender's has the id now. Its ciphertext may be used again, by the sender who made it. Nothing else is
 * touched: whatever has taken its place since it was judged stays.
 *
 * @param judged the blob that was found to be of another creation
 */
export function forgetBundle(db: Db, key: IntentKey, judged: Hex): Promise<void> {
  const { sourceChainId, intentId } = key
  const ofIntent = sql`source_chain_id = ${sourceChainId}::bigint
    and intent_id = ${String(intentId)}::numeric`
  return db.transaction().execute(async (transaction) => {
    await lockHandling(transaction, key)
    await sql`delete from app.appended_blob
      where ${ofIntent} and sealed = ${asBytes(judged)}`.execute(transaction)
    if ((await findBundle(transaction, key))?.sealed !== judged) return
    for (const table of ['used_ciphertext', 'appended_blob', 'bundle', 'bundle_handling']) {
      await sql`delete from ${sql.table(`app.${table}`)} where ${ofIntent}`.execute(transaction)
    }
  })
}
