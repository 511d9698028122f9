import type { ClientBase } from 'pg'
import { toColumnName } from '../../../core/rows/columnName.ts'
import { parsePostgresValue } from '../../../core/rows/parsePostgresValue.ts'
import type { AnyRow, Key, TableName } from '../../../src/projection/rowTypes.ts'
import { columnsOf, TABLES } from '../../../src/table/tableShapes.ts'

/** All rows of a table, in the types of `src/`. */
export function readTable(client: ClientBase, schema: string, table: TableName): Promise<AnyRow[]> {
  return read(client, schema, table, '', [])
}

/** The rows of a table's latest hour or day. */
export function readLatest(
  client: ClientBase,
  schema: string,
  table: TableName,
  period: 'day' | 'hour',
): Promise<AnyRow[]> {
  const target = `"${schema}"."${TABLES[table].sqlName}"`
  const latest = `WHERE "${period}" = (SELECT max("${period}") FROM ${target})`
  return read(client, schema, table, latest, [])
}

/** The existing intents among these keys, which must share one source chain. */
export function readIntents(
  client: ClientBase,
  schema: string,
  keys: readonly Key<'intent'>[],
): Promise<AnyRow[]> {
  const ids = keys.map(({ intentId }) => intentId.toString())
  return read(client, schema, 'intent', 'WHERE source_chain_id = $1 AND intent_id = ANY($2)', [
    keys[0]?.sourceChainId,
    ids,
  ])
}

async function read(
  client: ClientBase,
  schema: string,
  table: TableName,
  condition: string,
  values: unknown[],
): Promise<AnyRow[]> {
  const columns = columnsOf(table)
  const list = columns.map(([name]) => `"${toColumnName(name)}"`).join(', ')
  const { rows } = await client.query<unknown[]>({
    rowMode: 'array',
    text: `SELECT ${list} FROM "${schema}"."${TABLES[table].sqlName}" ${condition}`,
    values,
  })
  return rows.map((row) => {
    const entries = columns.map(([name, kind], at) => [name, parsePostgresValue(kind, row[at])])
    return Object.fromEntries(entries) as AnyRow
  })
}
