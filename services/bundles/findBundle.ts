import { sql } from 'kysely'
import type { Db } from '../store/database.ts'
import type { IntentKey } from '../store/storedIntent.ts'
import {
  BUNDLE_COLUMNS,
  type BundleRow,
  type StoredBundle,
  toStoredBundle,
} from './storedBundle.ts'

/** The stored bundle of an intent; null when there is none. */
export async function findBundle(
  db: Db,
  { sourceChainId, intentId }: IntentKey,
): Promise<StoredBundle | null> {
  const { rows } = await sql<BundleRow>`select ${sql.raw(BUNDLE_COLUMNS)} from app.bundle
    where source_chain_id = ${sourceChainId}::bigint
      and intent_id = ${String(intentId)}::numeric`.execute(db)
  return rows[0] ? toStoredBundle(rows[0]) : null
}
