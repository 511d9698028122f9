import { getTableColumns, getTableName } from 'drizzle-orm'
import { getTableConfig, type PgTable } from 'drizzle-orm/pg-core'
import { describe, expect, test } from 'vitest'
import { toColumnName } from '../../../core/rows/columnName.ts'
import * as schema from '../../../ponder.schema.ts'
import { TABLE_NAMES, TABLES } from '../../../src/table/tableShapes.ts'

/** Drizzle's word for each kind of column. */
const KINDS: Record<string, string> = {
  number: 'number',
  string: 'text',
  bigint: 'bigint',
  boolean: 'boolean',
  json: 'json',
}

describe('the tables as the core knows them are those of ponder.schema.ts', () => {
  test('all of them', () => {
    expect(Object.keys(schema).sort()).toEqual(TABLE_NAMES.toSorted())
  })

  test('no column is called as the state hash’s triggers call a row (0010_state_hash.sql)', () => {
    const columns = TABLE_NAMES.flatMap((table) => Object.keys(TABLES[table].columns))
    expect(columns.filter((name) => ['n', 'o', 'h'].includes(toColumnName(name)))).toEqual([])
  })

  for (const table of TABLE_NAMES) {
    test(table, () => {
      const declared = (schema as unknown as Record<string, PgTable>)[table]!
      const columns = Object.entries(getTableColumns(declared))
      const kinds = columns.map(([name, column]) => [name, KINDS[column.dataType]])
      expect(Object.entries(TABLES[table].columns)).toEqual(kinds)
      expect(columns.map(([name]) => toColumnName(name))).toEqual(
        columns.map(([, column]) => column.name),
      )
      expect(TABLES[table].sqlName).toBe(getTableName(declared))
      expect(TABLES[table].key).toEqual(primaryKeyOf(declared))
    })
  }
})

function primaryKeyOf(table: PgTable): string[] {
  const names = new Map(
    Object.entries(getTableColumns(table)).map(([js, column]) => [column.name, js]),
  )
  const composed = getTableConfig(table).primaryKeys[0]?.columns
  const single = Object.values(getTableColumns(table)).filter((column) => column.primary)
  return (composed ?? single).map((column) => names.get(column.name)!)
}
