import { toColumnName } from '../../core/rows/columnName.ts'
import { TABLES } from '../../src/table/tableShapes.ts'
import type { IntentRecord, ReportedStatus } from './composeIntentRecords.ts'

/** A changed column of an intent's row, as text; null where it had no value. */
type ColumnChange = { column: string; before: string | null; after: string | null }

/** How an intent changed between two points in time. */
export type IntentChange = {
  chain: string
  intentId: string
  /** Null: created in between. */
  statusBefore: ReportedStatus | null
  status: ReportedStatus
  /** Its events in between with their counts, such as `BidPlaced`: 2, by first occurrence. */
  events: { type: string; count: number }[]
  /** Empty for a new intent, and for one whose status changed by time alone. */
  columns: ColumnChange[]
}

/** They change with every event and add no information. */
const BOOKKEEPING: ReadonlySet<string> = new Set(['updatedBlock', 'updatedAt'])

/** The intents that changed, in the order of the records. */
export function findIntentChanges(records: readonly IntentRecord[]): IntentChange[] {
  return records.flatMap((record) => {
    const { chain, after, statusBefore, status } = record
    const isSame = record.events.length === 0 && statusBefore === status
    if (isSame) return []
    const columns = changedColumns(record)
    const intentId = String(after.intentId)
    return [{ chain, intentId, statusBefore, status, events: countEvents(record), columns }]
  })
}

function countEvents({ events }: IntentRecord): IntentChange['events'] {
  const counts = new Map<string, number>()
  for (const { type } of events) counts.set(type, (counts.get(type) ?? 0) + 1)
  return [...counts].map(([type, count]) => ({ type, count }))
}

function changedColumns({ before, after }: IntentRecord): ColumnChange[] {
  if (!before) return []
  const names = Object.keys(TABLES.intent.columns) as (keyof typeof after)[]
  return names.flatMap((name) => {
    if (before[name] === after[name] || BOOKKEEPING.has(name)) return []
    return [{ column: toColumnName(name), before: text(before[name]), after: text(after[name]) }]
  })
}

function text(value: unknown): string | null {
  return value === null ? null : String(value)
}
