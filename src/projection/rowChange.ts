import { find, type Read } from './rowReader.ts'
import type { Key, Rows, TableName } from './rowTypes.ts'
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

/** Writes a row in place of the one with its key, if there is one. */
export function putRow<Table extends TableName>(
  read: Read,
  table: Table,
  row: Rows[Table],
): Change {
  return { table, before: find(read, table, row), row } as unknown as Change
}

/** Takes one step from the row with this key or, when there is none, from the key with `rest`. */
export function amendRow<Table extends TableName>(
  read: Read,
  table: Table,
  key: Key<Table>,
  rest: Omit<Rows[Table], keyof Key<Table>>,
  step: (row: Rows[Table]) => Rows[Table],
): Change {
  const before = find(read, table, key)
  // Built only when needed: nearly every event finds its rows.
  const row = before ?? ({ ...key, ...rest } as unknown as Rows[Table])
  return { table, before, row: step(row) } as unknown as Change
}
