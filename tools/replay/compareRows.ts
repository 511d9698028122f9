import type { ClientBase } from 'pg'
import { formatPostgresRow } from '../../core/rows/formatPostgresRow.ts'
import type { InMemoryRowStore } from '../../core/rows/inMemoryRowStore.ts'
import { keyText } from '../../src/projection/rowKeys.ts'
import type { AnyKey, AnyRow, TableName } from '../../src/projection/rowTypes.ts'
import { TABLE_NAMES, TABLES } from '../../src/table/tableShapes.ts'
import { APPEND_ONLY, readDatabaseRows } from './readDatabaseRows.ts'

/** A row in which database and replay disagree. */
export type RowDifference = {
  table: string
  /** Primary key, columns by name. */
  key: Record<string, string>
  /** `missing` in the database, `unexpected` in it, or `different` there. */
  kind: 'missing' | 'unexpected' | 'different'
  /** The columns that differ, as JSON text; empty unless the kind is `different`. */
  columns: { column: string; database: string; replay: string }[]
}

export type RowComparison = {
  /** Compared rows of the database. */
  rows: number
  /** Rows that differ. */
  differences: number
  /** The first differences. */
  first: RowDifference[]
}

/**
 * Compares all rows of a chain in the database with the replay's, both ways.
 *
 * @param upTo the replay's block if it is an earlier one: then only tables with a history are compared
 */
export async function compareRows(
  client: ClientBase,
  chainId: number,
  store: InMemoryRowStore,
  limit: number,
  upTo?: number,
): Promise<RowComparison> {
  const result: RowComparison = { rows: 0, differences: 0, first: [] }
  const note = (difference: RowDifference) => {
    result.differences += 1
    if (result.first.length < limit) result.first.push(difference)
  }
  const tables = TABLE_NAMES.filter((table) => upTo === undefined || table in APPEND_ONLY)
  for (const table of tables) {
    const seen = new Set<string>()
    for await (const row of readDatabaseRows(client, table, chainId, upTo)) {
      result.rows += 1
      seen.add(keyText(table, row as AnyKey))
      const difference = compareRow(table, row, store.find(table, row as AnyKey))
      if (difference) note(difference)
    }
    for (const row of store.rows(table)) {
      if (!seen.has(keyText(table, row as AnyKey))) note(describe(table, row, 'missing'))
    }
  }
  return result
}

/** How a row of the database differs from the replay's; null if it doesn't, or both are absent. */
export function compareRow(
  table: TableName,
  found: AnyRow | null,
  replayed: AnyRow | null,
): RowDifference | null {
  if (!found) return replayed && describe(table, replayed, 'missing')
  if (!replayed) return describe(table, found, 'unexpected')
  if (formatPostgresRow(table, found) === formatPostgresRow(table, replayed)) return null
  const [database, replay] = [found, replayed] as unknown as Record<string, unknown>[]
  const columns = Object.keys(TABLES[table].columns).flatMap((column) => {
    const both = { database: text(database?.[column]), replay: text(replay?.[column]) }
    return both.database === both.replay ? [] : [{ column, ...both }]
  })
  return { ...describe(table, found, 'different'), columns }
}

function describe(table: TableName, row: AnyRow, kind: RowDifference['kind']): RowDifference {
  const values = row as unknown as Record<string, unknown>
  const key = Object.fromEntries(
    TABLES[table].key.map((column) => [column, String(values[column])]),
  )
  return { table: TABLES[table].sqlName, key, kind, columns: [] }
}

function text(value: unknown): string {
  if (typeof value === 'bigint') return value.toString()
  if (value === null || typeof value !== 'object') return JSON.stringify(value ?? null)
  return JSON.stringify(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
}
