import { sql } from 'kysely'
import type { Db } from '../store/database.ts'
import { asBytes } from './asBytes.ts'
import type { StoredBundle } from './storedBundle.ts'

/** Different bundles that strangers may hold against a stored one. */
const MOST = 3

/**
 * Asks whether a bundle may be compared with the stored one for somebody who hasn't signed: a client
 * that tries again, encrypting afresh. Who tries different ones is guessing, and shall not learn when a
 * guess is right. Counts as a guess until `forgiveComparison` says that it was none, so that many at
 * once are no way around.
 */
export async function takeComparison(db: Db, bundle: StoredBundle): Promise<boolean> {
  const taken = await sql`update app.bundle set mismatches = mismatches + 1
    where ${isRow(bundle)} and mismatches < ${MOST}`.execute(db)
  return taken.numAffectedRows === 1n
}

/** The bundle was the stored one. */
export async function forgiveComparison(db: Db, bundle: StoredBundle): Promise<void> {
  await sql`update app.bundle set mismatches = greatest(mismatches - 1, 0)
    where ${isRow(bundle)}`.execute(db)
}

/** SQL: whether a row of `app.bundle` is this creation's. */
export function isRow({
  sourceChainId,
  intentId,
  paramsHash,
}: Pick<StoredBundle, 'sourceChainId' | 'intentId' | 'paramsHash'>) {
  return sql<boolean>`source_chain_id = ${sourceChainId}::bigint
    and intent_id = ${String(intentId)}::numeric and params_hash = ${asBytes(paramsHash)}`
}
