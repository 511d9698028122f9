import { type RawBuilder, sql } from 'kysely'
import pg from 'pg'
import { hexToBytes } from 'viem'
import { toColumnName } from '../../../core/rows/columnName.ts'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import type { Rows, TableName } from '../../../src/projection/rowTypes.ts'
import { columnsOf } from '../../../src/table/tableShapes.ts'

/** Every column of a table as `alias.some_column as "someColumn"`, so that rows need no renaming. */
export function selectList(table: TableName, alias: string): string {
  return columnsOf(table)
    .map(([name]) => `${alias}.${toColumnName(name)} as "${name}"`)
    .join(', ')
}

/**
 * A row as a lossless JSON expression, with `numeric` values as text (see `reviveRow`). `replaced` gives SQL to use instead
 * of some columns.
 */
export function jsonRow(
  table: TableName,
  alias: string,
  replaced: { [column: string]: string } = {},
): string {
  const fields = columnsOf(table).map(([name, kind]) => {
    const plain = `${alias}.${toColumnName(name)}`
    return `'${name}', ${replaced[name] ?? (kind === 'bigint' ? `${plain}::text` : plain)}`
  })
  return `json_build_object(${fields.join(', ')})`
}

/** Converts JSON of `jsonRow` back to a row, in place. */
export function reviveRow<Table extends TableName>(table: Table, json: unknown): Rows[Table] {
  const row = json as Record<string, unknown>
  for (const [name, kind] of columnsOf(table)) {
    const value = row[name]
    if (kind === 'bigint' && typeof value === 'string') row[name] = BigInt(value)
  }
  return json as Rows[Table]
}

/**
 * An array as a parameter whose length the planner doesn't look at. If it did, its plan for these values would seem cheaper
 * than one for any, and a prepared statement would be planned at each use, which takes longer than running it.
 *
 * @param type of an element
 */
export function arrayParameter(
  values: readonly unknown[],
  type: 'bigint' | 'numeric' | 'text',
): RawBuilder<unknown> {
  return sql`(select ${[...values]}::${sql.raw(type)}[])`
}

export function asBytes(hex: Hex): RawBuilder<Uint8Array> {
  return sql`${Buffer.from(hexToBytes(hex))}::bytea`
}

/** Object ids of PostgreSQL's built-in types. */
const BYTEA = 17
const INT8 = 20
const NUMERIC = 1700

/**
 * Parses column values: `int8` as numbers, since block numbers, unix seconds, chain ids, nonces and log sequences stay far
 * below 2^53; `numeric` as bigints, because all numeric columns hold integers; `bytea`, written as \x…, as hex.
 */
export const parseColumn: typeof pg.types.getTypeParser = ((
  oid: number,
  format?: 'text' | 'binary',
) => {
  if (oid === INT8) return Number
  if (oid === NUMERIC) return BigInt
  if (oid === BYTEA) return (text: string) => `0x${text.slice(2)}`
  return format === 'binary'
    ? pg.types.getTypeParser(oid, 'binary')
    : pg.types.getTypeParser(oid, 'text')
}) as typeof pg.types.getTypeParser
