import { sql } from 'kysely'
import type { Db } from '../../../store/database/database.ts'
import type { IntentKey } from '../../../store/intents/storedIntent.ts'
import {
  BUNDLE_COLUMNS,
  type BundleRow,
  type StoredBundle,
  toStoredBundle,
} from './storedBundle.ts'

/** A page of the stored bundles by chain and id, still sealed. */
export async function listBundles(
  db: Db,
  { after, limit }: { after: IntentKey | null; limit: number },
): Promise<StoredBundle[]> {
  const beyond = after
    ? sql`where (source_chain_id, intent_id)
        > (${after.sourceChainId}::bigint, ${String(after.intentId)}::numeric)`
    : sql``
  const { rows } = await sql<BundleRow>`select ${sql.raw(BUNDLE_COLUMNS)} from app.bundle ${beyond}
    order by source_chain_id, intent_id limit ${limit}`.execute(db)
  return rows.map(toStoredBundle)
}
