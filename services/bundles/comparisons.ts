import { sql } from 'kysely'
import type { Db } from '../store/database.ts'
import type { IntentKey } from '../store/storedIntent.ts'

/** Different bundles that strangers may hold against a stored one. */
const MOST = 3

/**
 * Asks whether a bundle may be compared with the stored one for somebody who hasn't signed: a client
 * that tries again, encrypting afresh. Who tries different ones is guessing, and shall not learn when a
 * guess is right. Counts as a guess until `forgiveComparison` says that it was none, so that many at
 * once are no way around.
 */
export async function takeComparison(db: Db, key: IntentKey): Promise<boolean> {
  const taken = await sql`
    insert into app.bundle_handling as known (source_chain_id, intent_id, mismatches)
    values (${key.sourceChainId}::bigint, ${String(key.intentId)}::numeric, 1)
    on conflict (source_chain_id, intent_id) do update set mismatches = known.mismatches + 1
      where known.mismatches < ${MOST}`.execute(db)
  return taken.numAffectedRows === 1n
}

/** The bundle was the stored one. */
export async function forgiveComparison(db: Db, key: IntentKey): Promise<void> {
  await sql`update app.bundle_handling set mismatches = greatest(mismatches - 1, 0)
    where source_chain_id = ${key.sourceChainId}::bigint
      and intent_id = ${String(key.intentId)}::numeric`.execute(db)
}
