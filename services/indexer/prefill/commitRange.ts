import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { ClientBase } from 'pg'
import { from as copyFrom } from 'pg-copy-streams'
import { inTransaction } from '../../store/database/inTransaction.ts'
import type { BlockRange } from './blockRange.ts'
import { columnName, copyPieces } from './copyText.ts'
import type { CacheRow } from './ponderInternals.ts'

/** Rows for Ponder's cache, and the range and fragments that they complete. */
export type RangeRows = BlockRange & {
  chainId: number
  fragmentIds: readonly string[]
  tables: { blocks: CacheRow[]; transactions: CacheRow[]; logs: CacheRow[] }
}

/** Tables of the cache that are filled, with the column that places a row on the chain. */
const tables = [
  { name: 'blocks', number: 'number' },
  { name: 'transactions', number: 'block_number' },
  { name: 'logs', number: 'block_number' },
] as const

const uniqueViolation = '23505'

/**
 * Writes a range's rows and the intervals that vouch for them in one transaction: a crash leaves either both
 * or neither.
 */
export async function commitRange(client: ClientBase, range: RangeRows): Promise<void> {
  try {
    await inTransaction(client, () => writeRange(client, range, 'direct'))
  } catch (error) {
    // Somebody else wrote rows of the range since we looked: go round them.
    if ((error as { code?: string }).code !== uniqueViolation) throw error
    await inTransaction(client, () => writeRange(client, range, 'staged'))
  }
}

async function writeRange(
  client: ClientBase,
  range: RangeRows,
  way: 'direct' | 'staged',
): Promise<void> {
  // Losing the last ranges in a power cut costs a little time: rows and intervals are lost together.
  await client.query('SET LOCAL synchronous_commit = off')
  for (const { name, number } of tables) {
    const rows = range.tables[name]
    if (rows.length === 0) continue
    const columns = Object.keys(rows[0] as CacheRow)
    const list = columns.map((property) => `"${columnName(property)}"`).join(', ')
    if (way === 'direct' && !(await hasRows(client, name, number, range))) {
      await copy(client, `ponder_sync.${name} (${list})`, rows, columns)
      continue
    }
    await client.query(
      `CREATE TEMP TABLE staged ON COMMIT DROP AS SELECT ${list} FROM ponder_sync.${name} LIMIT 0`,
    )
    await copy(client, `staged (${list})`, rows, columns)
    await client.query(
      `INSERT INTO ponder_sync.${name} (${list}) SELECT ${list} FROM staged ON CONFLICT DO NOTHING`,
    )
    await client.query('DROP TABLE staged')
  }
  await vouch(client, range)
}

/** Rows may be there without an interval of ours, e.g. of an event that an older build already indexed. */
async function hasRows(
  client: ClientBase,
  table: string,
  number: string,
  { chainId, from, to }: RangeRows,
): Promise<boolean> {
  const { rows } = await client.query<{ found: boolean }>(
    `SELECT EXISTS (SELECT FROM ponder_sync.${table}
       WHERE chain_id = $1 AND ${number} BETWEEN $2 AND $3) AS found`,
    [chainId, from, to],
  )
  return rows[0]?.found === true
}

async function copy(
  client: ClientBase,
  target: string,
  rows: readonly CacheRow[],
  properties: readonly string[],
): Promise<void> {
  await pipeline(
    Readable.from(copyPieces(rows, properties)),
    client.query(copyFrom(`COPY ${target} FROM STDIN`)),
  )
}

async function vouch(
  client: ClientBase,
  { chainId, from, to, fragmentIds }: RangeRows,
): Promise<void> {
  // The bound is one block too high on purpose, as Ponder writes it (see `missingRanges`).
  await client.query(
    `INSERT INTO ponder_sync.intervals AS kept (fragment_id, chain_id, blocks)
     SELECT id, $2, nummultirange(numrange($3, $4, '[]')) FROM unnest($1::text[]) AS id
     ON CONFLICT (fragment_id) DO UPDATE SET blocks = kept.blocks + excluded.blocks`,
    [fragmentIds, chainId, from, to + 1],
  )
}

/** Takes a range's logs and its vouching back, as if it had never been committed. */
export async function revokeRange(
  client: ClientBase,
  { chainId, from, to, fragmentIds }: Omit<RangeRows, 'tables'>,
  addresses: readonly string[],
): Promise<void> {
  await inTransaction(client, async () => {
    await client.query(
      `DELETE FROM ponder_sync.logs
        WHERE chain_id = $1 AND block_number BETWEEN $2 AND $3 AND address = ANY($4)`,
      [chainId, from, to, addresses],
    )
    await client.query(
      `UPDATE ponder_sync.intervals SET blocks = coalesce((
          SELECT range_agg(piece) FROM unnest(blocks - nummultirange(numrange($2, $3, '()'))) AS piece
           WHERE lower(piece) < upper(piece)), '{}')
        WHERE fragment_id = ANY($1)`,
      [fragmentIds, from, to + 1],
    )
  })
}
