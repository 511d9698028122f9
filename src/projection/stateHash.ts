import { createHash, hash } from 'node:crypto'
import { keccak256 } from 'viem'
import type { Hex } from '../event/bridgeEvent.ts'
import type { AnyRow, Rows, TableName } from './rows.ts'
import { sortRows } from './sortRows.ts'
import { TABLE_NAMES, TABLES } from './tables.ts'

/** All rows of one chain, in any order. A table that is left out counts as empty. */
export type ChainRows = { readonly [Table in TableName]?: Iterable<Rows[Table]> }

/**
 * One hash for everything that a chain's history was folded to: equal exactly when all rows are.
 *
 * keccak256 over the digests of the tables in a fixed order. A table's digest is the SHA-256 of its
 * name and of the SHA-256 of each row's canonical text, in the order of the primary key. (Rows are
 * hashed natively: keccak in JavaScript would take longer than the whole fold.)
 */
export function stateHash(rows: ChainRows): Hex {
  const digests = TABLE_NAMES.map((table) => tableDigest(table, rows[table] ?? []))
  return keccak256(`0x${digests.join('')}`)
}

function tableDigest(table: TableName, rows: Iterable<AnyRow>): string {
  const digest = createHash('sha256').update(TABLES[table].sqlName)
  for (const row of sortRows(table, rows)) {
    digest.update(hash('sha256', canonicalRow(table, row), 'buffer'))
  }
  return digest.digest('hex')
}

/**
 * A row as text that is the same wherever it came from: a JSON array of its columns in schema order,
 * integers as decimal strings, event arguments sorted by name.
 */
export function canonicalRow(table: TableName, row: AnyRow): string {
  const values = row as unknown as Record<string, unknown>
  return JSON.stringify(Object.keys(TABLES[table].columns).map((column) => plain(values[column])))
}

function plain(value: unknown): unknown {
  if (typeof value === 'bigint' || typeof value === 'number') return value.toString()
  if (value === null || typeof value !== 'object') return value ?? null
  return Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
}
