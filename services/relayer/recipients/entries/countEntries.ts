import { sql } from 'kysely'
import type { Hex } from '../../../../src/event/bridgeEvent.ts'
import type { Db } from '../../../store/database/database.ts'
import { MOST_ENTRIES } from './entriesOfRecipient.ts'
import { byteArray } from './stealthEntry.ts'

/**
 * How many entries `entriesOfRecipient` gives.
 *
 * @param tags the recipient's, one per root
 */
export async function countEntries(db: Db, tags: readonly Hex[]): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::integer as count from (select from app.stealth_entry
      where tag = any(${byteArray(tags)}) limit ${MOST_ENTRIES}) as counted`.execute(db)
  return rows[0]?.count ?? 0
}
