import { sql } from 'kysely'
import { asBytes } from '../../../store/database/columns.ts'
import type { Db } from '../../../store/database/database.ts'
import type { StoredBundle } from '../stored/storedBundle.ts'

/** Different bundles that strangers may have compared with what is stored or on chain. */
const MOST = 3

/** What identifies a creation. */
type Creation = Pick<StoredBundle, 'sourceChainId' | 'intentId' | 'paramsHash'>

/**
 * Whether an unsigned bundle may be compared with what is stored or on chain, for a client that retries
 * with a fresh encryption. A caller that tries different ones is guessing, and must not learn when a guess
 * is right. Each comparison counts as a guess until `forgiveComparison` takes it back, so that concurrent
 * requests can't get around the limit.
 */
export async function takeGuess(db: Db, creation: Creation): Promise<boolean> {
  const { sourceChainId, intentId, paramsHash } = creation
  const taken = await sql`
    insert into app.comparison as made (source_chain_id, intent_id, params_hash, mismatches)
    values (${sourceChainId}::bigint, ${String(intentId)}::numeric, ${asBytes(paramsHash)}, 1)
    on conflict (source_chain_id, intent_id, params_hash)
      do update set mismatches = made.mismatches + 1 where made.mismatches < ${MOST}`.execute(db)
  return taken.numAffectedRows === 1n
}

/** The bundle was the one that it was compared with. */
export async function returnGuess(db: Db, creation: Creation): Promise<void> {
  await sql`update app.comparison set mismatches = greatest(mismatches - 1, 0)
    where ${isRow(creation)}`.execute(db)
}

/** SQL: whether a row is of this creation. */
export function isRow({ sourceChainId, intentId, paramsHash }: Creation) {
  return sql<boolean>`source_chain_id = ${sourceChainId}::bigint
    and intent_id = ${String(intentId)}::numeric and params_hash = ${asBytes(paramsHash)}`
}
