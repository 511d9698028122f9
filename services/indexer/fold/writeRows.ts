import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { ClientBase } from 'pg'
import { from as copyFrom } from 'pg-copy-streams'
import { columnName } from '../../../core/rows/columnName.ts'
import type { AnyRow, TableName } from '../../../src/projection/rows.ts'
import { TABLES } from '../../../src/projection/tables.ts'
import type { WrittenRows } from './workingRows.ts'

/** Text that is sent at once, in characters. */
const pieceLength = 262_144

/** Writes rows into the tables of a schema. Must run inside a transaction. */
export async function writeRows(
  client: ClientBase,
  schema: string,
  written: WrittenRows,
): Promise<void> {
  for (const [table, { inserted, replaced }] of written) {
    if (inserted.length > 0) await copy(client, `"${schema}"."${sqlName(table)}"`, table, inserted)
    if (replaced.length > 0) await replace(client, schema, table, replaced)
  }
}

const sqlName = (table: TableName) => TABLES[table].sqlName

async function replace(
  client: ClientBase,
  schema: string,
  table: TableName,
  rows: readonly AnyRow[],
): Promise<void> {
  const target = `"${schema}"."${sqlName(table)}"`
  const staged = `pg_temp."replaced_${sqlName(table)}"`
  const quoted = (column: string) => `"${columnName(column)}"`
  const columns = Object.keys(TABLES[table].columns).map(quoted)
  await client.query(
    `CREATE TEMP TABLE IF NOT EXISTS "replaced_${sqlName(table)}" (LIKE ${target}) ON COMMIT DELETE ROWS`,
  )
  await copy(client, staged, table, rows)
  const { rowCount } = await client.query(
    `UPDATE ${target} t SET ${columns.map((column) => `${column} = s.${column}`).join(', ')}
       FROM ${staged} s
      WHERE ${TABLES[table].key.map((column) => `t.${quoted(column)} = s.${quoted(column)}`).join(' AND ')}`,
  )
  if (rowCount !== rows.length) {
    throw new Error(`${rows.length} rows of ${target} changed, ${rowCount} of them are there`)
  }
}

async function copy(
  client: ClientBase,
  target: string,
  table: TableName,
  rows: readonly AnyRow[],
): Promise<void> {
  const columns = Object.keys(TABLES[table].columns)
  const list = columns.map((column) => `"${columnName(column)}"`).join(', ')
  await pipeline(
    Readable.from(pieces(rows, columns)),
    client.query(copyFrom(`COPY ${target} (${list}) FROM STDIN`)),
  )
}

/** Rows as COPY text, in pieces. */
export function* pieces(rows: readonly AnyRow[], columns: readonly string[]): Generator<string> {
  let piece = ''
  for (const row of rows) {
    const values = row as unknown as Record<string, unknown>
    let separator = ''
    for (const column of columns) {
      piece += separator + valueText(values[column])
      separator = '\t'
    }
    piece += '\n'
    if (piece.length > pieceLength) {
      yield piece
      piece = ''
    }
  }
  if (piece !== '') yield piece
}

/** A value in PostgreSQL's COPY text format. */
export function valueText(value: unknown): string {
  if (typeof value === 'string') return escapeForCopy(value)
  if (value === null || value === undefined) return '\\N'
  return typeof value === 'object' ? escapeForCopy(JSON.stringify(value)) : String(value)
}

const special = /[\\\n\r\t]/
const specials = /[\\\n\r\t]/g
const escapes: Record<string, string> = { '\\': '\\\\', '\n': '\\n', '\r': '\\r', '\t': '\\t' }

/**
 * A text in PostgreSQL's COPY format. The values come from RPC providers, so nothing is taken for
 * granted: without the escapes, a provider could smuggle in rows of its own.
 */
function escapeForCopy(text: string): string {
  return special.test(text) ? text.replace(specials, (found) => escapes[found] as string) : text
}
