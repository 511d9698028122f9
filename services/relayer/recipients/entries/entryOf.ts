import { sql } from 'kysely'
import type { Hex } from '../../../../src/event/bridgeEvent.ts'
import type { Db } from '../../../store/database/database.ts'
import { ENTRY_COLUMNS, type EntryRow, type StealthEntry, toStealthEntry } from './stealthEntry.ts'

/** The entry of a Safe on a chain; null when we issued no such Safe there. Lower case. */
export async function entryOfSafe(
  db: Db,
  chainId: number,
  safeAddress: Hex,
): Promise<StealthEntry | null> {
  const { rows } = await sql<EntryRow>`select ${sql.raw(ENTRY_COLUMNS)} from app.stealth_entry
    where chain_id = ${chainId}::bigint and safe_address = ${safeAddress}`.execute(db)
  return rows[0] ? toStealthEntry(rows[0]) : null
}

/**
 * The entry of a stealth address, which belongs to one delivery only; null when we didn't issue it.
 */
export async function entryOfStealth(db: Db, stealthAddress: Hex): Promise<StealthEntry | null> {
  const { rows } = await sql<EntryRow>`select ${sql.raw(ENTRY_COLUMNS)} from app.stealth_entry
    where stealth_address = ${stealthAddress} limit 1`.execute(db)
  return rows[0] ? toStealthEntry(rows[0]) : null
}
