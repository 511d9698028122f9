import { sql } from 'kysely'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import type {
  ForfeitRow,
  SealingKeyRow,
  SolverRecordRow,
  SolverStakeRow,
  SolverVolumeRow,
  TableName,
} from '../../../src/projection/rowTypes.ts'
import { TABLES } from '../../../src/table/tableShapes.ts'
import { jsonRow, reviveRow } from '../database/columnSql.ts'
import {
  countRows,
  type KeysetColumn,
  type KeysetPage,
  keysetCursors,
  readPage,
} from '../database/keysetPagination.ts'
import type { Db } from '../database/openDatabase.ts'

/** A solver's counts over all chains; times in unix seconds. */
export type SolverTotals = {
  solver: Hex
  bids: number
  wins: number
  deliveries: number
  settlements: number
  /** Locks forfeited as a winner that didn't deliver, and as a best bidder that didn't deposit. */
  failures: number
  noShows: number
  firstSeen: number
  lastSeen: number
}

const TOTALS = sql.raw(`record.solver as solver, sum(record.bids) as bids,
  sum(record.wins) as wins, sum(record.deliveries) as deliveries,
  sum(record.settlements) as settlements, sum(record.failures) as failures,
  sum(record.no_shows) as "noShows",
  min(record.first_seen) as "firstSeen", max(record.last_seen) as "lastSeen"`)

/** Orders of solvers. Ties are broken by address, in the same direction. */
export type SolverOrderBy = Exclude<keyof SolverTotals, 'solver'> | 'address'

export function listSolvers(
  db: Db,
  by: SolverOrderBy,
  page: KeysetPage,
): Promise<readonly SolverTotals[]> {
  const solvers = sql`select * from (
      select ${TOTALS} from cairn.solver_record record group by record.solver) as totals`
  return readPage(db, solvers, columnsOf(by), page)
}

/** Cursors of `listSolvers` in that order. */
export function solverCursors(by: SolverOrderBy) {
  return keysetCursors<SolverTotals>(`solvers.${by}`, columnsOf(by))
}

function columnsOf(by: SolverOrderBy): KeysetColumn[] {
  const solver: KeysetColumn = { name: 'solver', sql: 'totals.solver', type: 'text' }
  return by === 'address' ? [solver] : [{ name: by, sql: `totals."${by}"`, type: 'bigint' }, solver]
}

export function countSolvers(db: Db): Promise<number> {
  return countRows(db, sql`(select distinct solver from cairn.solver_record) as solvers`)
}

/** A solver over all chains, and by chain and token. */
export type SolverDetail = SolverTotals & {
  /** By chain. */
  chains: SolverRecordRow[]
  /** By chain and token; the first 100, since anyone may deliver worthless tokens to itself. */
  volumes: SolverVolumeRow[]
  /** By chain and token. */
  stakes: SolverStakeRow[]
  /** Keys to which its recipients are sealed, by chain. */
  sealingKeys: SealingKeyRow[]
  /** The latest 100 forfeited locks, newest first. */
  forfeits: ForfeitRow[]
}

const LIST_LIMIT = 100

/** Loads the solvers with these addresses, in no particular order, without absent ones. One statement. */
export async function loadSolvers(db: Db, addresses: readonly Hex[]): Promise<SolverDetail[]> {
  if (addresses.length === 0) return []
  type Lists = { [List in Exclude<keyof SolverDetail, keyof SolverTotals>]: unknown[] }
  const { rows } = await sql<SolverTotals & Lists>`
    select ${TOTALS},
      json_agg(${sql.raw(jsonRow('solverRecord', 'record'))} order by record.chain_id) as chains,
      ${listOf('solverVolume', 'chain_id', 'chain_id, token')} as volumes,
      ${listOf('solverStake', 'chain_id', 'chain_id, token')} as stakes,
      ${listOf('sealingKey', 'chain_id', 'chain_id')} as "sealingKeys",
      ${listOf('forfeit', 'source_chain_id', 'forfeited_at desc, source_chain_id, intent_id')} as forfeits
    from cairn.solver_record record where record.solver = any(${[...addresses]}::text[])
    group by record.solver`.execute(db)
  return rows.map(({ chains, volumes, stakes, sealingKeys, forfeits, ...totals }) => ({
    ...totals,
    chains: chains.map((row) => reviveRow('solverRecord', row)),
    volumes: volumes.map((row) => reviveRow('solverVolume', row)),
    stakes: stakes.map((row) => reviveRow('solverStake', row)),
    sealingKeys: sealingKeys.map((row) => reviveRow('sealingKey', row)),
    forfeits: forfeits.map((row) => reviveRow('forfeit', row)),
  }))
}

/** A solver's rows of a table as JSON, limited because strangers can add some by worthless deliveries. */
function listOf(table: TableName, chain: string, order: string) {
  const { sqlName } = TABLES[table]
  return sql.raw(`coalesce((
    select json_agg(${jsonRow(table, 'r')} order by ${order}) from (
      select * from cairn.${sqlName} listed where listed.solver = record.solver
        and listed.${chain} in (select p.chain_id from app.projection p where p.active)
      order by ${order} limit ${LIST_LIMIT}) r), '[]')`)
}
