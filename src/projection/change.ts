import type { Key, Rows, TableName } from './rows.ts'

/**
 * One write. `insert`: no row had this key before; `update`: the row with this key is replaced.
 * `row` is always the complete new row, key included.
 */
export type ChangeOf<Table extends TableName> = {
  table: Table
  operation: 'insert' | 'update'
  key: Key<Table>
  row: Rows[Table]
}

/** One write to some table; `table` discriminates. */
export type Change = { [Table in TableName]: ChangeOf<Table> }[TableName]
