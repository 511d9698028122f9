import { sql } from 'kysely'
import type { Hex } from '../../../../src/event/bridgeEvent.ts'
import type { Db } from '../../../store/database/database.ts'
import {
  byteArray,
  ENTRY_COLUMNS,
  type EntryRow,
  type StealthEntry,
  toStealthEntry,
} from './stealthEntry.ts'

/** When an entry's Safe was last seen on its chain, and whether it was deep enough to stay. */
type Seen = { deployedSeenAt: Date | null; deployedForGood: boolean }
export type SeenEntry = StealthEntry & Seen

/** Entries of one answer at most. */
export const MOST_ENTRIES = 5_000

/**
 * All addresses issued to a recipient, the oldest first; of more than 5,000 the newest.
 *
 * @param tags the recipient's, one per root
 */
export async function entriesOfRecipient(db: Db, tags: readonly Hex[]): Promise<SeenEntry[]> {
  const { rows } = await sql<EntryRow & Seen>`
    select ${sql.raw(ENTRY_COLUMNS)}, deployed_seen_at as "deployedSeenAt",
      deployed_for_good as "deployedForGood" from app.stealth_entry
    where tag = any(${byteArray(tags)}) order by id desc limit ${MOST_ENTRIES}`.execute(db)
  return rows
    .map(({ deployedSeenAt, deployedForGood, ...row }) => ({
      ...toStealthEntry(row),
      ...{ deployedSeenAt, deployedForGood },
    }))
    .reverse()
}
