import { type RawBuilder, sql } from 'kysely'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import type {
  ForfeitRow,
  SealingKeyRow,
  SolverRecordRow,
  SolverStakeRow,
  SolverVolumeRow,
  TableName,
} from '../../../src/projection/rows.ts'
import { TABLES } from '../../../src/projection/tables.ts'
import { jsonRow, reviveRow } from '../database/columns.ts'
import type { Db } from '../database/database.ts'
import { SOLVER_TOTALS, type SolverTotals } from './solverTotals.ts'

/** A solver over all chains, and by chain and token. */
export type SolverDetail = SolverTotals & {
  /** By chain. */
  chains: SolverRecordRow[]
  /** By chain and token; the first 100: anyone may deliver worthless tokens to itself. */
  volumes: SolverVolumeRow[]
  /** What backs its bids, by chain and token. */
  stakes: SolverStakeRow[]
  /** The keys to which its recipients are sealed, by chain. */
  sealingKeys: SealingKeyRow[]
  /** Locks that it lost, the latest 100 first. */
  forfeits: ForfeitRow[]
}

const MOST = 100

/** The solvers with these addresses, in no particular order; absent ones are left out. One statement. */
export async function loadSolvers(db: Db, addresses: readonly Hex[]): Promise<SolverDetail[]> {
  if (addresses.length === 0) return []
  const { rows } = await loadSolversQuery(addresses).execute(db)
  return rows.map(({ chains, volumes, stakes, sealingKeys, forfeits, ...totals }) => ({
    ...totals,
    chains: chains.map((row) => reviveRow('solverRecord', row)),
    volumes: volumes.map((row) => reviveRow('solverVolume', row)),
    stakes: stakes.map((row) => reviveRow('solverStake', row)),
    sealingKeys: sealingKeys.map((row) => reviveRow('sealingKey', row)),
    forfeits: forfeits.map((row) => reviveRow('forfeit', row)),
  }))
}

/** The statement of `loadSolvers`. */
export function loadSolversQuery(addresses: readonly Hex[]) {
  return sql<SolverTotals & { [List in ListName]: unknown[] }>`
    select ${sql.raw(SOLVER_TOTALS)},
      json_agg(${sql.raw(jsonRow('solverRecord', 'record'))} order by record.chain_id) as chains,
      ${listOf('solverVolume', 'chain_id', 'chain_id, token')} as volumes,
      ${listOf('solverStake', 'chain_id', 'chain_id, token')} as stakes,
      ${listOf('sealingKey', 'chain_id', 'chain_id')} as "sealingKeys",
      ${listOf('forfeit', 'source_chain_id', 'forfeited_at desc, source_chain_id, intent_id')} as forfeits
    from cairn.solver_record record where record.solver = any(${[...addresses]}::text[])
    group by record.solver`
}

type ListName = 'chains' | 'volumes' | 'stakes' | 'sealingKeys' | 'forfeits'

/** A solver's rows of a table as JSON, the first hundred: strangers can make it some, by junk deliveries. */
function listOf(table: TableName, chain: string, order: string): RawBuilder<unknown> {
  const { sqlName } = TABLES[table]
  return sql.raw(`coalesce((
    select json_agg(${jsonRow(table, 'r')} order by ${order}) from (
      select * from cairn.${sqlName} listed where listed.solver = record.solver
        and listed.${chain} in (select p.chain_id from app.projection p where p.active)
      order by ${order} limit ${MOST}) r), '[]')`)
}
