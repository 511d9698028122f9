import { csvLines } from './csv.ts'
import type { IntentChange } from './findIntentChanges.ts'

const COLUMNS = ['chain', 'intent', 'status_before', 'status', 'events', 'columns'] as const

/** `changes.csv`: one line per intent that changed in the period. */
export function formatIntentChangesCsv(changes: Iterable<IntentChange>): Iterable<string> {
  return csvLines(COLUMNS, linesOf(changes))
}

function* linesOf(changes: Iterable<IntentChange>) {
  for (const change of changes) {
    yield {
      chain: change.chain,
      intent: change.intentId,
      status_before: change.statusBefore,
      status: change.status,
      events: describeEvents(change),
      columns: describeColumns(change),
    }
  }
}

/** `IntentAnchored, 2 BidPlaced` */
export function describeEvents({ events }: IntentChange): string {
  return events.map(({ type, count }) => (count === 1 ? type : `${count} ${type}`)).join(', ')
}

/** `bid_count 0 → 2, best_bid – → 9000` */
export function describeColumns({ columns }: IntentChange): string {
  return columns
    .map(({ column, before, after }) => `${column} ${before ?? '–'} → ${after ?? '–'}`)
    .join(', ')
}
