import { sql } from 'kysely'
import type { Hex } from '../../../../src/event/bridgeEvent.ts'
import type { Db } from '../../../store/database/database.ts'

/**
 * Records that the code of Safes was just seen on their chain.
 *
 * @param isForGood whether it was there deep enough to stay
 */
export async function markDeployed(
  db: Db,
  chainId: number,
  safes: readonly Hex[],
  isForGood: boolean,
): Promise<void> {
  if (safes.length === 0) return
  await sql`update app.stealth_entry
    set deployed_seen_at = clock_timestamp(), deployed_for_good = deployed_for_good or ${isForGood}
    where chain_id = ${chainId}::bigint and safe_address = any(${safes}::text[])`.execute(db)
}
