import { sql } from 'kysely'
import { hashSums, type StateSums } from '../../../core/rows/stateHash.ts'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import type { TableName } from '../../../src/projection/rowTypes.ts'
import { TABLE_NAMES, TABLES } from '../../../src/table/tableShapes.ts'
import type { Db } from '../database/openDatabase.ts'

/** The state hash of a chain's rows at a block. */
export type ChainStateHash = {
  chainId: number
  /** The indexed head, at which the hash is taken. */
  block: { number: number; timestamp: number }
  /** Equals `computeStateHash` over all rows; null until the rows have been summed once. */
  stateHash: Hex | null
  /** Row counts by SQL table name; null if the hash is. */
  rows: Record<string, number> | null
}

/** A row of `STATE_SUMS`. Some drivers return integers as text. */
type StateSumsRow = {
  chainId: number | string
  blockNumber: number | string
  timestamp: number | string
  sums: { table: string; rows: number; lanes: string[] }[] | null
}

/**
 * Reads the state hashes of the live chains, by chain id. One statement reads hash and block from sums that are maintained
 * with the rows, so they are consistent and their cost doesn't depend on the number of rows.
 */
export async function readStateHashes(db: Db): Promise<ChainStateHash[]> {
  const { rows } = await sql<StateSumsRow>`${sql.raw(STATE_SUMS)}`.execute(db)
  return rows.map(toStateHash)
}

/** The statement of `readStateHashes`. */
export const STATE_SUMS = `
    select p.chain_id as "chainId", clock.block_number as "blockNumber", clock.timestamp,
      (select json_agg(json_build_object('table', base.table_name, 'rows', base.rows + change.rows,
          'lanes', json_build_array((base.lane_0 + change.lane_0)::text, (base.lane_1 + change.lane_1)::text,
            (base.lane_2 + change.lane_2)::text, (base.lane_3 + change.lane_3)::text)))
        from app.state_base base join app.state_change change using (schema_name, table_name)
        where schema_name = p.schema_name) as sums
    from app.projection p join cairn.chain_clock clock on clock.chain_id = p.chain_id
    where p.active and p.state = 'live' order by p.chain_id`

export function toStateHash({ sums, ...row }: StateSumsRow): ChainStateHash {
  return {
    chainId: Number(row.chainId),
    block: { number: Number(row.blockNumber), timestamp: Number(row.timestamp) },
    stateHash: sums && hashSums(toSums(sums)),
    rows: sums && Object.fromEntries(sums.map(({ table, rows }) => [table, rows])),
  }
}

function toSums(sums: StateSumsRow['sums'] & object): StateSums {
  const known = sums.flatMap(({ table, rows, lanes }) => {
    const name = BY_SQL_NAME.get(table)
    return name ? [[name, { rows, lanes: lanes.map(BigInt) }]] : []
  })
  return Object.fromEntries(known)
}

const BY_SQL_NAME = new Map<string, TableName>(
  TABLE_NAMES.map((table) => [TABLES[table].sqlName, table]),
)
