import { columnName } from '../../../core/rows/columnName.ts'
import type { Rows, TableName } from '../../../src/projection/rows.ts'
import { columnsOf } from '../../../src/projection/tables.ts'

/** `expectedAmountB` → `expected_amount_b`: how a column's TypeScript name is written in SQL. */
type SnakeCase<Name extends string> = Name extends `${infer First}${infer Rest}`
  ? First extends Lowercase<First>
    ? `${First}${SnakeCase<Rest>}`
    : `_${Lowercase<First>}${SnakeCase<Rest>}`
  : ''

/** A row with its columns named as in SQL. */
export type SqlRow<Row> = { [Column in keyof Row & string as SnakeCase<Column>]: Row[Column] }

/** The SQL name of a column. */
export function sqlColumn<Name extends string>(name: Name): SnakeCase<Name> {
  return columnName(name) as SnakeCase<Name>
}

/** Every column of a table as `alias.some_column as "someColumn"`, so that rows need no renaming. */
export function selectList(table: TableName, alias: string): string {
  return columnsOf(table)
    .map(([name]) => `${alias}.${sqlColumn(name)} as "${name}"`)
    .join(', ')
}

/**
 * One row as a lossless JSON expression: `numeric` goes as text (see `reviveRow`). `replaced` gives
 * SQL for columns that shall not go as they are.
 */
export function jsonRow(
  table: TableName,
  alias: string,
  replaced: { [column: string]: string } = {},
): string {
  const fields = columnsOf(table).map(([name, kind]) => {
    const plain = `${alias}.${sqlColumn(name)}`
    return `'${name}', ${replaced[name] ?? (kind === 'bigint' ? `${plain}::text` : plain)}`
  })
  return `json_build_object(${fields.join(', ')})`
}

/** The row that `jsonRow` made JSON of; changes its argument. */
export function reviveRow<Table extends TableName>(table: Table, json: unknown): Rows[Table] {
  const row = json as Record<string, unknown>
  for (const [name, kind] of columnsOf(table)) {
    const value = row[name]
    if (kind === 'bigint' && typeof value === 'string') row[name] = BigInt(value)
  }
  return json as Rows[Table]
}
