import { sql } from 'kysely'
import type { Db } from '../store/database.ts'
import type { IntentKey } from '../store/storedIntent.ts'

/** What was done with an intent's bundle. */
export type Handling = { anchoringAt: Date | null }

/**
 * Locks what is known of a bundle's handling until the transaction ends. Whoever replaces, anchors or
 * deletes a bundle holds this lock, and reads the bundle after it has it.
 */
export async function lockHandling(
  transaction: Db,
  { sourceChainId, intentId }: IntentKey,
): Promise<Handling> {
  const { rows } = await sql<Handling>`
    insert into app.bundle_handling as known (source_chain_id, intent_id)
    values (${sourceChainId}::bigint, ${String(intentId)}::numeric)
    on conflict (source_chain_id, intent_id) do update set source_chain_id = known.source_chain_id
    returning anchoring_at as "anchoringAt"`.execute(transaction)
  return rows[0] as Handling
}
