import type { JsonArgs } from '../../src/event/eventArgsJson.ts'
import type { AnyRow, TableName } from '../../src/projection/rows.ts'
import { type ColumnKind, columnsOf } from '../../src/projection/tableShapes.ts'

/**
 * A row as text that is the same wherever the row came from: what PostgreSQL gives for `row::text`,
 * which is `(84532,12,,"{""type"": ""…""}",t)`, its columns in schema order. Equal only for equal rows.
 */
export function formatPostgresRow(table: TableName, row: AnyRow): string {
  const values = row as unknown as Record<string, unknown>
  let text = ''
  for (const [name, kind] of columnsOf(table)) text += `,${formatColumn(kind, values[name])}`
  return `(${text.slice(1)})`
}

function formatColumn(kind: ColumnKind, value: unknown): string {
  if (value === null || value === undefined) return ''
  if (kind === 'number' || kind === 'bigint') return String(value)
  if (kind === 'boolean') return value ? 't' : 'f'
  return quote(kind === 'json' ? formatJson(value as JsonArgs) : String(value))
}

/** A column's text within a row's: quoted when it is empty or holds anything special. */
function quote(text: string): string {
  if (text !== '' && !/["\\(),\s]/.test(text)) return text
  return `"${text.replaceAll(/["\\]/g, '$&$&')}"`
}

/** How `jsonb` shows an object of strings: shorter names first, those of one length by code units. */
function formatJson(args: JsonArgs): string {
  const names = Object.keys(args).sort((a, b) => a.length - b.length || (a < b ? -1 : 1))
  const entries = names.map((name) => `${JSON.stringify(name)}: ${JSON.stringify(args[name])}`)
  return `{${entries.join(', ')}}`
}
