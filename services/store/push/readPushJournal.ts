import { type RawBuilder, sql } from 'kysely'
import { type PushEvent, toPushEventId } from '../../../core/push/pushEvent.ts'
import type { Db } from '../database/openDatabase.ts'

/** Filters journal lines; absent fields don't restrict. Addresses in lower case. */
export type PushFilter = {
  intents?: readonly bigint[] | undefined
  sender?: string | undefined
  solver?: string | undefined
  /** Source or destination. */
  chain?: number | undefined
  types?: readonly string[] | undefined
}

/** The fields that filters use. */
type FilteredFields = {
  type: string
  intentId: bigint | null
  sender: string
  solver: string | null
  sourceChainId: number
  destChainId: number
}

/** Whether a line passes a filter. `pushFilterSql` is the same rule in SQL. */
export function matchesFilter(line: FilteredFields, filter: PushFilter): boolean {
  const { intents, sender, solver, chain, types } = filter
  return (
    (intents === undefined || (line.intentId !== null && intents.includes(line.intentId))) &&
    (sender === undefined || sender === line.sender) &&
    (solver === undefined || solver === line.solver) &&
    (chain === undefined || chain === line.sourceChainId || chain === line.destChainId) &&
    (types === undefined || types.includes(line.type))
  )
}

/** `matchesFilter` as a condition on a row of `app.push_event` aliased `line`. */
function pushFilterSql(filter: PushFilter): RawBuilder<unknown> {
  const { intents, sender, solver, chain, types } = filter
  const parts = [sql`true`]
  if (intents !== undefined)
    parts.push(sql`line.intent_id = any(${intents.map(String)}::numeric[])`)
  if (sender !== undefined) parts.push(sql`line.sender = ${sender}`)
  if (solver !== undefined) parts.push(sql`line.solver = ${solver}`)
  if (chain !== undefined)
    parts.push(sql`${chain}::bigint in (line.source_chain_id, line.dest_chain_id)`)
  if (types !== undefined) parts.push(sql`line.type = any(${[...types]}::text[])`)
  return sql.join(parts, sql` and `)
}

export type JournalLine = FilteredFields & { sequence: number; data: object; recordedAt: Date }

/** Reads lines after a sequence, up to another, oldest first. */
export async function readPushJournal(
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

/** Lines that one statement looks at. */
const LINES = 20_000

/**
 * Reads a part of these lines, and up to where it looked: a month may have millions of lines of which a filter wants none, and
 * one statement over all of them would never end in time. An intent's or sender's are few, and found by their indexes.
 */
export async function readPartOfPushJournal(
  db: Db,
  filter: PushFilter,
  {
    after,
    upTo,
    limit,
    most = LINES,
  }: { after: number; upTo: number; limit: number; most?: number },
): Promise<{ lines: JournalLine[]; readTo: number }> {
  const isNarrow = filter.intents !== undefined || filter.sender !== undefined
  const { rows } = await sql<{ sequence: number }>`select sequence from app.push_event
    where sequence > ${after} and not ${isNarrow} order by sequence offset ${most - 1} limit 1`.execute(
    db,
  )
  const end = Math.min(upTo, rows[0]?.sequence ?? upTo)
  const lines = await readPushJournal(db, filter, { after, upTo: end, limit })
  return { lines, readTo: lines.length < limit ? end : lines.at(-1)!.sequence }
}

/** Sequences of the newest line and of the last pruned one; 0 if there is none. */
export async function readJournalBounds(db: Db): Promise<{ newest: number; prunedTo: number }> {
  const { rows } = await sql<{ newest: number; prunedTo: number }>`
    select coalesce((select max(sequence) from app.push_event), pruned_to, 0) as newest,
      coalesce(pruned_to, 0) as "prunedTo"
    from (select max(pruned_to) as pruned_to from app.push_cursor) known`.execute(db)
  return rows[0]!
}

/** Converts a line to the event that receivers get. */
export function renderPushEvent({
  sequence,
  type,
  data,
  recordedAt,
}: Pick<JournalLine, 'sequence' | 'type' | 'data' | 'recordedAt'>): PushEvent {
  const timestamp = recordedAt.toISOString()
  return { id: toPushEventId(sequence), type, timestamp, data } as PushEvent
}
