import type { JsonArgs } from '../../src/event/eventArgsJson.ts'
import type { AnyRow, TableName } from '../../src/projection/rowTypes.ts'
import { type ColumnKind, columnsOf } from '../../src/table/tableShapes.ts'

/**
 * A row as PostgreSQL's `row::text`, whatever its source: `(84532,12,,"{""type"": ""…""}",t)`, with columns in schema
 * order. Different rows give different text.
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

/** A column's text within a row: quoted if it is empty or contains special characters. */
function quote(text: string): string {
  if (text !== '' && !/["\\(),\s]/.test(text)) return text
  return `"${text.replaceAll(/["\\]/g, '$&$&')}"`
}

/** An object of strings as `jsonb` prints it: shorter names first, those of equal length by code units. */
function formatJson(args: JsonArgs): string {
  const names = Object.keys(args).sort((a, b) => a.length - b.length || (a < b ? -1 : 1))
  const entries = names.map((name) => `${JSON.stringify(name)}: ${JSON.stringify(args[name])}`)
  return `{${entries.join(', ')}}`
}
