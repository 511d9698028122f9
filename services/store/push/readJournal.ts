import { sql } from 'kysely'
import type { Db } from '../database/database.ts'
import { type ChosenBy, type PushFilter, pushFilterSql } from './pushFilter.ts'

/** A line of the journal as its readers need it. */
export type JournalLine = ChosenBy & { sequence: number; data: object; recordedAt: Date }

/** The requested lines, oldest first: after one sequence, up to another. */
export async function readJournal(
  db: Db,
  filter: PushFilter,
  { after, upTo, limit }: { after: number; upTo?: number; limit: number },
): Promise<JournalLine[]> {
  const until = upTo === undefined ? sql`` : sql`and line.sequence <= ${upTo}`
  const { rows } = await sql<JournalLine>`
    select line.sequence, line.type, line.data, line.recorded_at as "recordedAt",
      line.intent_id as "intentId", line.sender, line.solver,
      line.source_chain_id as "sourceChainId", line.dest_chain_id as "destChainId"
    from app.push_event line where line.sequence > ${after} ${until} and ${pushFilterSql(filter)}
    order by line.sequence limit ${limit}`.execute(db)
  return rows
}

/** The newest line's sequence, and up to where older ones were deleted; 0 where there is nothing. */
export async function journalBounds(db: Db): Promise<{ newest: number; prunedTo: number }> {
  const { rows } = await sql<{ newest: number; prunedTo: number }>`
    select coalesce((select max(sequence) from app.push_event), pruned_to, 0) as newest,
      coalesce(pruned_to, 0) as "prunedTo"
    from (select max(pruned_to) as pruned_to from app.push_cursor) known`.execute(db)
  return rows[0]!
}
