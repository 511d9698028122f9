import { sql } from 'kysely'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import type { Db } from '../database/database.ts'
import { requestedIntents } from './requestedIntents.ts'
import type { IntentKey } from './storedIntent.ts'

/** Who took part in an intent that a reorg took back; null where nobody is known. */
type VanishedIntent = IntentKey & { sender: Hex | null; solver: Hex | null }

/** The intents among these of which orphaned events tell. */
export async function vanishedIntents(
  db: Db,
  keys: readonly IntentKey[],
): Promise<VanishedIntent[]> {
  if (keys.length === 0) return []
  const { rows } = await sql<VanishedIntent>`
    select requested.chain as "sourceChainId", requested.id as "intentId",
      max(o.args ->> 'user') filter (where o.type = 'IntentCreated') as sender,
      max(o.args ->> 'solver') filter (where o.type = 'SolverDeposited') as solver
    from ${requestedIntents(keys)} join app.orphaned_event o
      on o.source_chain_id = requested.chain and o.intent_id = requested.id and o.restored_at is null
    group by 1, 2`.execute(db)
  return rows
}
