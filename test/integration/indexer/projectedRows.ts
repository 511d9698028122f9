import type { ClientBase } from 'pg'
import type { ChainEvent } from '../../../src/event/chainEvent.ts'
import { project } from '../../../src/projection/project.ts'
import { keyText } from '../../../src/projection/rowKeys.ts'
import type { TableName } from '../../../src/projection/rowTypes.ts'
import { type ColumnKind, TABLE_NAMES, TABLES } from '../../../src/table/tableShapes.ts'

/** Rows of every table, by table and primary key. */
type AllRows = Record<TableName, Record<string, object>>

/** The rows that a history gives, folded in memory. */
export function replayRows(events: ChainEvent[]): AllRows {
  const rows = emptyRows()
  for (const event of events) {
    const changes = project(
      event,
      (table, key) => (rows[table][keyText(table, key as never)] ?? null) as never,
    )
    for (const { table, row } of changes) rows[table][keyText(table, row as never)] = row
  }
  return rows
}

/** The rows that readers see of these chains. */
export async function readRows(client: ClientBase, chainIds: number[]): Promise<AllRows> {
  const rows = emptyRows()
  for (const table of TABLE_NAMES) {
    const { sqlName, columns, key } = TABLES[table]
    const found = await client.query(
      `select * from cairn."${sqlName}" where ${snake(key[0] as string)} = any($1)`,
      [chainIds],
    )
    for (const raw of found.rows) {
      const row: Record<string, unknown> = {}
      for (const [name, kind] of Object.entries(columns)) row[name] = parse(kind, raw[snake(name)])
      rows[table][keyText(table, row as never)] = row
    }
  }
  return rows
}

function emptyRows(): AllRows {
  return Object.fromEntries(TABLE_NAMES.map((table) => [table, {}])) as AllRows
}

/** Ponder's way: a digit at the end of a word begins no new one. */
function snake(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}

function parse(kind: ColumnKind, value: unknown): unknown {
  if (value === null) return null
  if (kind === 'number') return Number(value)
  return kind === 'bigint' ? BigInt(value as string) : value
}
