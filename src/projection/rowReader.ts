import type { AnyKey, AnyRow, Key, Rows, TableName } from './rowTypes.ts'

/**
 * Looks a row up by its primary key in memory; null when there is none. `key` may have more columns than those. What it
 * returns is frozen to the reducer.
 */
export type Read = (table: TableName, key: AnyKey) => AnyRow | null

/** The same over a database. */
export type ReadAsync = (table: TableName, key: AnyKey) => Promise<AnyRow | null>

/** A row that a projection asks for before it can go on. */
export type Wanted = { table: TableName; key: AnyKey }

/**
 * A computation that asks for rows and never fetches them: `project` answers from memory,
 * `projectAsync` from a database, and the reducer between them is one and the same.
 */
export type Asking<Result> = Generator<Wanted, Result, AnyRow | null>

/** Asks for one row; null when there is none. */
export function* find<Table extends TableName>(
  table: Table,
  key: Key<Table>,
): Asking<Rows[Table] | null> {
  return (yield { table, key: key as unknown as AnyKey }) as Rows[Table] | null
}
