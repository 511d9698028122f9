import { hash } from 'node:crypto'
import { keccak256 } from 'viem'
import type { Hex } from '../../src/event/bridgeEvent.ts'
import type { AnyRow, Rows, TableName } from '../../src/projection/rowTypes.ts'
import { TABLE_NAMES, TABLES } from '../../src/table/tableShapes.ts'
import { formatPostgresRow } from './formatPostgresRow.ts'

/** All rows of one chain, in any order. A missing table counts as empty. */
export type ChainRows = { readonly [Table in TableName]?: Iterable<Rows[Table]> }

/**
 * A table's summary: the number of its rows, and the sum of their digests in four lanes of 64 bits
 * (each taken modulo 2^64 by `hashSums`). Sums can be kept up to date row by row, in any order.
 */
type TableSum = { rows: number; lanes: readonly bigint[] }

/** Sums by table. A missing table counts as empty. */
export type StateSums = { readonly [Table in TableName]?: TableSum }

const LANES = [0, 1, 2, 3]

/**
 * One hash over all rows folded from a chain's history: equal if all rows are equal, and almost certainly only then. It
 * reveals faults, but not forgery by someone who chose the rows (see docs/adr/0010-state-hash.md).
 */
export function computeStateHash(rows: ChainRows): Hex {
  const sums = TABLE_NAMES.map((table) => [table, sumTable(table, rows[table] ?? [])])
  return hashSums(Object.fromEntries(sums))
}

/** keccak256 over all tables in a fixed order: 32 bytes of sum, then 8 bytes with the number of rows. */
export function hashSums(sums: StateSums): Hex {
  const tables = TABLE_NAMES.map((table) => {
    const { rows, lanes } = sums[table] ?? { rows: 0, lanes: [0n, 0n, 0n, 0n] }
    return [...lanes, BigInt(rows)].map(word).join('')
  })
  return keccak256(`0x${tables.join('')}`)
}

/** The sum of a table's rows. A row's digest is the SHA-256 of the table's SQL name and `formatPostgresRow`. */
function sumTable(table: TableName, rows: Iterable<AnyRow>): TableSum {
  const { sqlName } = TABLES[table]
  const lanes = [0n, 0n, 0n, 0n]
  let count = 0
  for (const row of rows) {
    const digest = hash('sha256', sqlName + formatPostgresRow(table, row), 'buffer')
    for (const lane of LANES) lanes[lane] = lanes[lane]! + digest.readBigUInt64BE(lane * 8)
    count += 1
  }
  return { rows: count, lanes }
}

/** 64 bits as 16 hex digits. */
function word(value: bigint): string {
  return BigInt.asUintN(64, value).toString(16).padStart(16, '0')
}
