import { sql } from 'kysely'
import { asBytes } from '../../../store/database/asBytes.ts'
import type { Db } from '../../../store/database/database.ts'
import { insertEntries } from './insertEntries.ts'
import type { StealthEntry } from './stealthEntry.ts'

/** Writes a delivery in place of a row that says something else of it, or names its Safe for another. */
export async function replaceEntry(db: Db, entry: StealthEntry): Promise<void> {
  const { tag, chainId, intentId, index, safeAddress } = entry
  await db.transaction().execute(async (transaction) => {
    await sql`delete from app.stealth_entry
      where chain_id = ${chainId}::bigint and (safe_address = ${safeAddress}
        or (tag = ${asBytes(tag)} and intent_id = ${String(intentId)}::numeric
          and delivery_index = ${index}::integer))`.execute(transaction)
    await insertEntries(transaction, [entry])
  })
}
