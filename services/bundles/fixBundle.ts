import { sql } from 'kysely'
import type { Db } from '../store/database.ts'
import type { IntentKey } from '../store/storedIntent.ts'
import { findBundle } from './findBundle.ts'
import { lockHandling } from './lockHandling.ts'
import type { StoredBundle } from './storedBundle.ts'

/**
 * Makes an intent's bundle final, and gives it: to be anchored with exactly these bytes (`anchoring`),
 * or to be told to the winner (`revealing`). Nothing replaces it from then on. Call it as often as you
 * like; null when there is no bundle.
 */
export function fixBundle(
  db: Db,
  key: IntentKey,
  reason: 'anchoring' | 'revealing',
): Promise<StoredBundle | null> {
  return db.transaction().execute(async (transaction) => {
    const { anchoringAt, revealedAt } = await lockHandling(transaction, key)
    const bundle = await findBundle(transaction, key)
    if (bundle && (reason === 'anchoring' ? anchoringAt : revealedAt) === null) {
      const column = sql.raw(reason === 'anchoring' ? 'anchoring_at' : 'revealed_at')
      await sql`update app.bundle_handling set ${column} = now()
        where source_chain_id = ${key.sourceChainId}::bigint
          and intent_id = ${String(key.intentId)}::numeric`.execute(transaction)
    }
    return bundle
  })
}
