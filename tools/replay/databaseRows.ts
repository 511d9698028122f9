import type { ClientBase } from 'pg'
import { columnName } from '../../core/rows/columnName.ts'
import type { AnyRow, TableName } from '../../src/projection/rows.ts'
import { type ColumnKind, TABLES } from '../../src/projection/tables.ts'

/** Rows fetched at once: bounds the memory that a big table takes. */
const PAGE = 5_000

/** Tables to which rows are only ever added, with the column that names the block. */
export const ADDED_IN: { readonly [Table in TableName]?: string } = {
  event: 'block_number',
  bid: 'block_number',
  delivery: 'solved_block',
  tranche: 'block_number',
}

/**
 * A chain's rows of one table of the database, as the core's own row types, in no particular order.
 * With `upTo`, those that were written up to that block: of tables to which rows are only ever added.
 * Must run inside a transaction (it uses a cursor).
 */
export async function* databaseRows(
  client: ClientBase,
  table: TableName,
  chainId: number,
  upTo?: number,
): AsyncGenerator<AnyRow> {
  const { sqlName, key, columns } = TABLES[table]
  const kinds = Object.entries(columns) as [string, ColumnKind][]
  const list = kinds.map(([name]) => `"${columnName(name)}"`).join(', ')
  const block = ADDED_IN[table]
  if (upTo !== undefined && !block) throw new Error(`${sqlName} has no history`)
  const bound = upTo === undefined ? '' : ` AND ${block} <= ${BigInt(upTo)}`
  // The first column of every primary key is the chain that owns the row.
  await client.query(
    `DECLARE replay_rows NO SCROLL CURSOR FOR
     SELECT ${list} FROM cairn."${sqlName}" WHERE "${columnName(key[0] as string)}" = ${BigInt(chainId)}${bound}`,
  )
  while (true) {
    const { rows } = await client.query(`FETCH ${PAGE} FROM replay_rows`)
    for (const row of rows) {
      yield Object.fromEntries(
        kinds.map(([name, kind]) => [name, read(kind, row[columnName(name)])]),
      ) as AnyRow
    }
    if (rows.length < PAGE) break
  }
  await client.query('CLOSE replay_rows')
}

/** node-postgres gives `int8` and `numeric` as text. */
function read(kind: ColumnKind, value: unknown): unknown {
  if (value === null) return null
  if (kind === 'bigint') return BigInt(value as string)
  return kind === 'number' ? Number(value) : value
}
