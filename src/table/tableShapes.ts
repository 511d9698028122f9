import { COLUMNS, type ColumnType } from './columns.ts'
import type { KeyColumns, Rows, TableName } from './rows.ts'

/** How a column's value looks in TypeScript; `text` covers words and hex, `json` the event arguments and histograms. */
export type ColumnKind = 'number' | 'bigint' | 'text' | 'boolean' | 'json'

export type TableShape<Table extends TableName> = {
  /** Name in SQL; columns are the snake_case of theirs. */
  sqlName: string
  /** Primary key, in its order. */
  key: readonly KeyColumns[Table][]
  /** Every column, in its order. */
  columns: { readonly [Column in keyof Rows[Table] & string]: ColumnKind }
}

const KINDS: Readonly<Record<string, ColumnKind>> = {
  int8: 'number',
  integer: 'number',
  numeric: 'bigint',
  hex: 'text',
  text: 'text',
  boolean: 'boolean',
  json: 'json',
}

/** All tables, in the order in which hashes and exports list them. */
export const TABLE_NAMES = Object.keys(COLUMNS) as TableName[]

/** Shape of every table, for programs that read or write rows by name (replay, comparison, hashes). */
export const TABLES = Object.fromEntries(
  TABLE_NAMES.map((table) => {
    const { columns, ...rest } = COLUMNS[table]
    const kinds = Object.entries<ColumnType>(columns).map(([name, type]) => [
      name,
      KINDS[type.replace('?', '')],
    ])
    return [table, { ...rest, columns: Object.fromEntries(kinds) }]
  }),
) as unknown as { readonly [Table in TableName]: TableShape<Table> }

const LISTED = new Map(
  TABLE_NAMES.map((table) => [table, Object.entries<ColumnKind>(TABLES[table].columns)]),
)

/** A table's columns by name and kind, in their order. */
export function columnsOf(table: TableName): readonly [string, ColumnKind][] {
  return LISTED.get(table) ?? []
}
