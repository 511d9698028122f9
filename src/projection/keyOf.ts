import type { AnyKey, Key, Rows, TableName } from './rows.ts'
import { TABLES } from './tables.ts'

/** Primary key of a row. */
export function keyOf<Table extends TableName>(table: Table, row: Rows[Table]): Key<Table> {
  const key: Record<string, unknown> = {}
  const columns = row as Record<string, unknown>
  for (const column of TABLES[table].key) key[column] = columns[column]
  return key as Key<Table>
}

/** A primary key (or a whole row) as one string, equal only for equal keys of one table. */
export function keyText(table: TableName, key: AnyKey): string {
  const columns = key as Record<string, unknown>
  let text = ''
  for (const column of TABLES[table].key) text += `${columns[column]}|`
  return text
}
