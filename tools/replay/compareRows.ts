import type { ClientBase } from 'pg'
import type { RowStore } from '../../core/rows/rowStore.ts'
import { rowText } from '../../core/rows/rowText.ts'
import { keyText } from '../../src/projection/keyOf.ts'
import type { AnyKey, AnyRow, TableName } from '../../src/projection/rows.ts'
import { TABLE_NAMES, TABLES } from '../../src/projection/tables.ts'
import { ADDED_IN, databaseRows } from './databaseRows.ts'

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
  /** Rows of the database that were looked at. */
  rows: number
  /** Rows in which the two disagree. */
  differences: number
  /** The first of them. */
  first: RowDifference[]
}

/**
 * Compares every row that the database has of a chain with the replay's, both ways.
 *
 * @param upTo the block of the replay, where that is an earlier one: only rows that have a history count then
 */
export async function compareRows(
  client: ClientBase,
  chainId: number,
  store: RowStore,
  limit: number,
  upTo?: number,
): Promise<RowComparison> {
  const result: RowComparison = { rows: 0, differences: 0, first: [] }
  const note = (difference: RowDifference) => {
    result.differences += 1
    if (result.first.length < limit) result.first.push(difference)
  }
  const tables = TABLE_NAMES.filter((table) => upTo === undefined || table in ADDED_IN)
  for (const table of tables) {
    const seen = new Set<string>()
    for await (const row of databaseRows(client, table, chainId, upTo)) {
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

/** What is wrong with a row of the database, or null: not with both absent. */
export function compareRow(
  table: TableName,
  found: AnyRow | null,
  replayed: AnyRow | null,
): RowDifference | null {
  if (!found) return replayed && describe(table, replayed, 'missing')
  if (!replayed) return describe(table, found, 'unexpected')
  if (rowText(table, found) === rowText(table, replayed)) return null
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
