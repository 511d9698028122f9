import { sql } from 'kysely'
import type { Db } from '../store/database.ts'
import type { IntentKey } from '../store/storedIntent.ts'
import { findBundle } from './findBundle.ts'
import { lockHandling } from './lockHandling.ts'
import type { StoredBundle } from './storedBundle.ts'

/**
 * Makes an intent's bundle final, and gives it, to be anchored with exactly these bytes: nothing takes
 * its place in `app.bundle` from then on. Call it as often as you like; null when there is no bundle.
 */
export function fixBundle(db: Db, key: IntentKey): Promise<StoredBundle | null> {
  return db.transaction().execute(async (transaction) => {
    const { anchoringAt } = await lockHandling(transaction, key)
    const bundle = await findBundle(transaction, key)
    if (bundle && anchoringAt === null) {
      await sql`update app.bundle_handling set anchoring_at = now()
        where source_chain_id = ${key.sourceChainId}::bigint
          and intent_id = ${String(key.intentId)}::numeric`.execute(transaction)
    }
    return bundle
  })
}
