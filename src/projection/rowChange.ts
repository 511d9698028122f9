import { find, type Read } from './rowReader.ts'
import type { Rows, TableName } from './rowTypes.ts'
import type { Change } from './rowWrite.ts'

/** Writes a row that can't be there yet. */
export function insertRow<Table extends TableName>(table: Table, row: Rows[Table]): Change {
  return { table, before: null, row } as unknown as Change
}

/** Replaces a row that was read. */
export function updateRow<Table extends TableName>(
  table: Table,
  before: Rows[Table],
  row: Rows[Table],
): Change {
  return { table, before, row } as unknown as Change
}

/** Takes one step from the row that has `blank`'s key, or from `blank` itself when there is none. */
export function amendRow<Table extends TableName>(
  read: Read,
  table: Table,
  blank: Rows[Table],
  step: (row: Rows[Table]) => Rows[Table],
): Change {
  const before = find(read, table, blank)
  return { table, before, row: step(before ?? blank) } as unknown as Change
}
