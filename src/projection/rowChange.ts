import type { Change, ChangeOf } from './change.ts'
import { keyOf } from './keyOf.ts'
import { type Asking, find } from './read.ts'
import type { Rows, TableName } from './rows.ts'

/** Writes a row that can't be there yet. */
export function insertRow<Table extends TableName>(table: Table, row: Rows[Table]): Change {
  return change(table, 'insert', row)
}

/** Replaces a row that is known to be there. */
export function updateRow<Table extends TableName>(table: Table, row: Rows[Table]): Change {
  return change(table, 'update', row)
}

/** Takes one step from the row that has `blank`'s key, or from `blank` itself when there is none. */
export function* amendRow<Table extends TableName>(
  table: Table,
  blank: Rows[Table],
  step: (row: Rows[Table]) => Rows[Table],
): Asking<Change> {
  const known = yield* find(table, keyOf(table, blank))
  return change(table, known ? 'update' : 'insert', step(known ?? blank))
}

function change<Table extends TableName>(
  table: Table,
  operation: Change['operation'],
  row: Rows[Table],
): Change {
  const written: ChangeOf<Table> = { table, operation, key: keyOf(table, row), row }
  return written as unknown as Change
}
