import { sql } from 'kysely'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import type { Db } from '../../store/database.ts'

/** Notes that a Safe's code was just seen on its chain. */
export async function markDeployed(db: Db, chainId: number, safeAddress: Hex): Promise<void> {
  await sql`update app.stealth_entry set deployed_seen_at = now()
    where chain_id = ${chainId}::bigint and safe_address = ${safeAddress}`.execute(db)
}
