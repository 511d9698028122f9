import type { AnyKey, AnyRow, Key, Rows, TableName } from './rowTypes.ts'

/**
 * Looks a row up by its primary key in memory; null when there is none. `key` may have more columns than those. What it
 * returns is frozen to the reducer.
 */
export type Read = (table: TableName, key: AnyKey) => AnyRow | null

/** The same over a database. */
export type ReadAsync = (table: TableName, key: AnyKey) => Promise<AnyRow | null>

/** One row of a known table; null when there is none. */
export function find<Table extends TableName>(
  read: Read,
  table: Table,
  key: Key<Table>,
): Rows[Table] | null {
  return read(table, key as unknown as AnyKey) as Rows[Table] | null
}
