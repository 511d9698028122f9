import type { Rows, TableName } from './rowTypes.ts'

/** One write: of a new row where `before` is null, else of one that replaces `before`, under the same key. */
export type ChangeOf<Table extends TableName> = {
  table: Table
  /** The row as it was read, itself and not a copy. */
  before: Rows[Table] | null
  /** The complete new row. */
  row: Rows[Table]
}

/** One write to some table; `table` discriminates. */
export type Change = { [Table in TableName]: ChangeOf<Table> }[TableName]
