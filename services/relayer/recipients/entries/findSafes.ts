import { sql } from 'kysely'
import { bytesToHex } from 'viem'
import type { Hex } from '../../../../src/event/bridgeEvent.ts'
import type { Db } from '../../../store/database/database.ts'

/** A Safe that was issued for a delivery. */
type FoundSafe = { safeAddress: Hex; ticket: Hex }

/** The part of an address that a statement may contain: `0x` and five of its forty digits. */
const SHOWN = 7

/**
 * Which of these addresses, in lower case, are Safes that were issued on a chain. A server may log its
 * statements, and recipients must not appear there: so the query asks for all Safes with the same first
 * digits, and this function compares the rest.
 */
export async function findSafes(
  db: Db,
  chainId: number,
  addresses: readonly Hex[],
): Promise<FoundSafe[]> {
  const requested = new Set(addresses)
  const beginnings = [...new Set(addresses.map((address) => address.slice(0, SHOWN)))]
  const { rows } = await sql<{ safeAddress: Hex; ticket: Uint8Array }>`
    select s.safe_address as "safeAddress", s.ticket
    from unnest(${beginnings}::text[]) as beginning join app.stealth_entry s
      on s.chain_id = ${chainId}::bigint
      and s.safe_address >= beginning and s.safe_address < beginning || 'g'`.execute(db)
  return rows
    .filter(({ safeAddress }) => requested.has(safeAddress))
    .map(({ safeAddress, ticket }) => ({ safeAddress, ticket: bytesToHex(ticket) }))
}
