import { sql } from 'kysely'
import type { Db } from '../../../store/database/database.ts'
import { ENTRY_COLUMNS, type EntryRow, type StealthEntry, toStealthEntry } from './stealthEntry.ts'

/** All addresses issued for one intent on its destination chain. */
export async function entriesOfIntent(
  db: Db,
  { intentId, chainId }: { intentId: bigint; chainId: number },
): Promise<StealthEntry[]> {
  const { rows } = await sql<EntryRow>`select ${sql.raw(ENTRY_COLUMNS)} from app.stealth_entry
    where intent_id = ${String(intentId)}::numeric and chain_id = ${chainId}::bigint
    order by id`.execute(db)
  return rows.map(toStealthEntry)
}
