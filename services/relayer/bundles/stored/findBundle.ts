import { sql } from 'kysely'
import { asBytes } from '../../../store/database/columns.ts'
import type { Db } from '../../../store/database/database.ts'
import type { IntentTerms } from '../../terms/intentTerms.ts'
import {
  BUNDLE_COLUMNS,
  type BundleRow,
  type StoredBundle,
  toStoredBundle,
} from './storedBundle.ts'

/** What was sent for this creation; null when nothing was. */
export async function findBundle(
  db: Db,
  {
    sourceChainId,
    intentId,
    paramsHash,
  }: Pick<IntentTerms, 'sourceChainId' | 'intentId' | 'paramsHash'>,
): Promise<StoredBundle | null> {
  const { rows } = await sql<BundleRow>`select ${sql.raw(BUNDLE_COLUMNS)} from app.bundle
    where source_chain_id = ${sourceChainId}::bigint and intent_id = ${String(intentId)}::numeric
      and params_hash = ${asBytes(paramsHash)}`.execute(db)
  return rows[0] ? toStoredBundle(rows[0]) : null
}
