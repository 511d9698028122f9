import { createWriteStream } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { toColumnName } from '../../core/rows/columnName.ts'
import type { InMemoryRowStore } from '../../core/rows/inMemoryRowStore.ts'
import type { AnyRow, TableName } from '../../src/projection/rowTypes.ts'
import { TABLE_NAMES, TABLES } from '../../src/table/tableShapes.ts'
import type { ExportFormat } from './parseOptions.ts'

/**
 * Writes all rows of a chain: one file per table, sorted by primary key, columns by their SQL names. In NDJSON, amounts and
 * ids are decimal strings, because JSON numbers can't hold them.
 */
export async function exportRows(
  store: InMemoryRowStore,
  directory: string,
  format: ExportFormat,
): Promise<void> {
  await mkdir(directory, { recursive: true })
  for (const table of TABLE_NAMES) {
    const file = join(directory, `${TABLES[table].sqlName}.${format}`)
    const rows = sortRows(table, store.rows(table))
    const lines = format === 'csv' ? csvLines(table, rows) : jsonLines(table, rows)
    await pipeline(Readable.from(lines), createWriteStream(file))
  }
}

/** By primary key: numbers by size, text by code units. */
function sortRows(table: TableName, rows: Iterable<AnyRow>): AnyRow[] {
  const { key } = TABLES[table]
  return [...rows].sort((a, b) => {
    const left = a as unknown as Record<string, bigint | number | string>
    const right = b as unknown as Record<string, bigint | number | string>
    for (const column of key) {
      if (left[column] === right[column]) continue
      return left[column]! < right[column]! ? -1 : 1
    }
    return 0
  })
}

export function* jsonLines(table: TableName, rows: Iterable<AnyRow>): Generator<string> {
  const columns = Object.keys(TABLES[table].columns)
  for (const row of rows) {
    const values = row as unknown as Record<string, unknown>
    const named = columns.map((column) => [toColumnName(column), plain(values[column])])
    yield `${JSON.stringify(Object.fromEntries(named))}\n`
  }
}

/** RFC 4180, with a header line; null is an empty field. */
export function* csvLines(table: TableName, rows: Iterable<AnyRow>): Generator<string> {
  const columns = Object.keys(TABLES[table].columns)
  yield `${columns.map(toColumnName).join(',')}\r\n`
  for (const row of rows) {
    const values = row as unknown as Record<string, unknown>
    yield `${columns.map((column) => csvField(values[column])).join(',')}\r\n`
  }
}

function csvField(value: unknown): string {
  if (value === null || value === undefined) return ''
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value)
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

function plain(value: unknown): unknown {
  return typeof value === 'bigint' ? value.toString() : (value ?? null)
}
