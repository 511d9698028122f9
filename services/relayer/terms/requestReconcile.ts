import { sql } from 'kysely'
import type { Db } from '../../store/database/openDatabase.ts'
import type { IntentKey } from '../../store/intents/storedIntent.ts'

/** Channel for requests to reconcile an intent now. */
export const RECONCILE_CHANNEL = 'cairn_reconcile'

/**
 * Has the reactions reconcile an intent now, or once the transaction commits, rather than at their next search. Lost if
 * none is running.
 */
export async function requestReconcile(
  db: Db,
  { sourceChainId, intentId }: IntentKey,
): Promise<void> {
  const payload = JSON.stringify({ sourceChainId, intentId: String(intentId) })
  await sql`select pg_notify(${RECONCILE_CHANNEL}, ${payload})`.execute(db)
}
