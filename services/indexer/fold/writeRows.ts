import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { ClientBase } from 'pg'
import { from as copyFrom } from 'pg-copy-streams'
import { toColumnName } from '../../../core/rows/columnName.ts'
import type { AnyRow, TableName } from '../../../src/projection/rowTypes.ts'
import { TABLES } from '../../../src/table/tableShapes.ts'
import type { WrittenRows } from './workingRows.ts'

/** Characters per chunk of COPY text. */
const CHUNK_LENGTH = 262_144

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
  const quoted = (column: string) => `"${toColumnName(column)}"`
  const columns = Object.keys(TABLES[table].columns).map(quoted)
  await client.query(
    `CREATE TEMP TABLE IF NOT EXISTS "replaced_${sqlName(table)}" (LIKE ${target}) ON COMMIT DELETE ROWS`,
  )
  await copy(client, staged, table, rows)
  const assignments = columns.map((column) => `${column} = s.${column}`)
  const isSameKey = TABLES[table].key.map((column) => `t.${quoted(column)} = s.${quoted(column)}`)
  const { rowCount } = await client.query(
    `UPDATE ${target} t SET ${assignments.join(', ')}
       FROM ${staged} s WHERE ${isSameKey.join(' AND ')}`,
  )
  if (rowCount !== rows.length) {
    throw new Error(`${target} has only ${rowCount} of the ${rows.length} rows to update`)
  }
}

async function copy(
  client: ClientBase,
  target: string,
  table: TableName,
  rows: readonly AnyRow[],
): Promise<void> {
  const columns = Object.keys(TABLES[table].columns)
  const list = columns.map((column) => `"${toColumnName(column)}"`).join(', ')
  await pipeline(
    Readable.from(copyChunks(rows, columns)),
    client.query(copyFrom(`COPY ${target} (${list}) FROM STDIN`)),
  )
}

/** Rows as COPY text, in chunks. */
export function* copyChunks(
  rows: readonly AnyRow[],
  columns: readonly string[],
): Generator<string> {
  let chunk = ''
  for (const row of rows) {
    const values = row as unknown as Record<string, unknown>
    let separator = ''
    for (const column of columns) {
      chunk += separator + copyText(values[column])
      separator = '\t'
    }
    chunk += '\n'
    if (chunk.length > CHUNK_LENGTH) {
      yield chunk
      chunk = ''
    }
  }
  if (chunk !== '') yield chunk
}

/** A value in PostgreSQL's COPY text format. */
export function copyText(value: unknown): string {
  if (typeof value === 'string') return escapeForCopy(value)
  if (value === null || value === undefined) return '\\N'
  return typeof value === 'object' ? escapeForCopy(JSON.stringify(value)) : String(value)
}

const SPECIAL = /[\\\n\r\t]/
const ALL_SPECIAL = new RegExp(SPECIAL, 'g')
const ESCAPES: Record<string, string> = { '\\': '\\\\', '\n': '\\n', '\r': '\\r', '\t': '\\t' }

/** Escapes text for COPY. Values come from RPC providers, which could otherwise inject rows. */
function escapeForCopy(text: string): string {
  // Nearly no text needs it, and a test costs less than a replacement of nothing.
  if (!SPECIAL.test(text)) return text
  return text.replace(ALL_SPECIAL, (character) => ESCAPES[character] as string)
}
