import { type RawBuilder, sql } from 'kysely'
import type { Hex } from '../../src/event/bridgeEvent.ts'
import type { SolverRecordRow, SolverVolumeRow } from '../../src/projection/rows.ts'
import { jsonRow, reviveRow } from './columns.ts'
import type { Db } from './database.ts'
import { SOLVER_TOTALS, type SolverTotals } from './solverTotals.ts'

/** A solver over all chains, and by chain and token. */
export type SolverDetail = SolverTotals & {
  /** By chain. */
  chains: SolverRecordRow[]
  /** By chain and token; the first 100: anyone may deliver worthless tokens to itself. */
  volumes: SolverVolumeRow[]
}

const MOST_VOLUMES = 100

/** The solvers with these addresses, in no particular order; absent ones are left out. One statement. */
export async function loadSolvers(db: Db, addresses: readonly Hex[]): Promise<SolverDetail[]> {
  if (addresses.length === 0) return []
  const { rows } = await loadSolversQuery(addresses).execute(db)
  return rows.map(({ chains, volumes, ...totals }) => ({
    ...totals,
    chains: chains.map((row) => reviveRow('solverRecord', row)),
    volumes: volumes.map((row) => reviveRow('solverVolume', row)),
  }))
}

/** The statement of `loadSolvers`. */
export function loadSolversQuery(addresses: readonly Hex[]) {
  return sql<SolverTotals & { chains: unknown[]; volumes: unknown[] }>`
    select ${sql.raw(SOLVER_TOTALS)},
      json_agg(${sql.raw(jsonRow('solverRecord', 'record'))} order by record.chain_id) as chains,
      ${VOLUMES} as volumes
    from cairn.solver_record record where record.solver = any(${[...addresses]}::text[])
    group by record.solver`
}

const VOLUMES: RawBuilder<unknown> = sql.raw(`coalesce((
  select json_agg(${jsonRow('solverVolume', 'v')} order by v.chain_id, v.token) from (
    select * from cairn.solver_volume volume
    where volume.solver = record.solver
      and volume.chain_id in (select p.chain_id from app.projection p where p.active)
    order by volume.chain_id, volume.token limit ${MOST_VOLUMES}) v), '[]')`)
