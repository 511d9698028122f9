import { TABLES } from '../table/tableShapes.ts'
import type { AnyKey, Key, TableName } from './rowTypes.ts'

/** The primary key of a row, or of a key with more columns. */
export function keyOf<Table extends TableName>(table: Table, row: Key<Table>): Key<Table> {
  const key: Record<string, unknown> = {}
  const columns = row as unknown as Record<string, unknown>
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
