import type { ClientBase } from 'pg'
import { toColumnName } from '../../core/rows/columnName.ts'
import { parsePostgresValue } from '../../core/rows/parsePostgresValue.ts'
import type { AnyRow, TableName } from '../../src/projection/rowTypes.ts'
import { type ColumnKind, TABLES } from '../../src/table/tableShapes.ts'

/** Rows to fetch at once: bounds the memory for a big table. */
const PAGE = 5_000

/** Tables whose rows are never changed, with the column of their block. */
export const APPEND_ONLY: { readonly [Table in TableName]?: string } = {
  event: 'block_number',
  bid: 'block_number',
  delivery: 'solved_block',
  tranche: 'block_number',
}

/**
 * Reads a chain's rows of one table, in no particular order. With `upTo`, only those written up to that block, for tables
 * whose rows are never changed. Must run inside a transaction (it uses a cursor).
 */
export async function* readDatabaseRows(
  client: ClientBase,
  table: TableName,
  chainId: number,
  upTo?: number,
): AsyncGenerator<AnyRow> {
  const { sqlName, key, columns } = TABLES[table]
  const kinds = Object.entries(columns) as [string, ColumnKind][]
  const list = kinds.map(([name]) => `"${toColumnName(name)}"`).join(', ')
  const block = APPEND_ONLY[table]
  if (upTo !== undefined && !block) throw new Error(`${sqlName} has no history`)
  const bound = upTo === undefined ? '' : ` AND ${block} <= ${BigInt(upTo)}`
  // The first column of every primary key is the chain that owns the row.
  await client.query(
    `DECLARE replay_rows NO SCROLL CURSOR FOR
     SELECT ${list} FROM cairn."${sqlName}" WHERE "${toColumnName(key[0] as string)}" = ${BigInt(chainId)}${bound}`,
  )
  while (true) {
    const { rows } = await client.query(`FETCH ${PAGE} FROM replay_rows`)
    for (const row of rows) {
      yield Object.fromEntries(
        kinds.map(([name, kind]) => [name, parsePostgresValue(kind, row[toColumnName(name)])]),
      ) as AnyRow
    }
    if (rows.length < PAGE) break
  }
  await client.query('CLOSE replay_rows')
}
