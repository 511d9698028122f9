import { sql } from 'kysely'
import { bytesToHex } from 'viem'
import type { Hex } from '../../src/event/bridgeEvent.ts'
import type { Db } from '../store/database.ts'
import type { IntentKey } from '../store/storedIntent.ts'

/**
 * The blob that a sender has last stored for an intent, whether it is on chain yet or not; null when
 * there is none.
 */
export async function findLatestSealed(db: Db, key: IntentKey): Promise<Hex | null> {
  const wanted = sql`source_chain_id = ${key.sourceChainId}::bigint
    and intent_id = ${String(key.intentId)}::numeric`
  const { rows } = await sql<{ sealed: Uint8Array }>`
    select sealed from (
      select sealed, 0 as sequence from app.bundle where ${wanted}
      union all
      select sealed, sequence from app.appended_blob where ${wanted} and purpose = 'bundle'
    ) as stored order by sequence desc limit 1`.execute(db)
  return rows[0] ? bytesToHex(rows[0].sealed) : null
}
