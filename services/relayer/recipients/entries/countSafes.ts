import { sql } from 'kysely'
import type { Hex } from '../../../../src/event/bridgeEvent.ts'
import type { Db } from '../../../store/database/database.ts'

/** How many of these addresses, in lower case, are Safes that were made out on a chain. */
export async function countSafes(
  db: Db,
  chainId: number,
  addresses: readonly Hex[],
): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(distinct safe_address)::integer as count from app.stealth_entry
    where chain_id = ${chainId}::bigint and safe_address = any(${[...addresses]}::text[])`.execute(
    db,
  )
  return rows[0]?.count ?? 0
}
