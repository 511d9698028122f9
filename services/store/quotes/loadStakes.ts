import { sql } from 'kysely'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import type { Db } from '../database/database.ts'

/** What backs a solver's bids in one token, in base units. */
export type Stake = { solver: Hex; staked: bigint; locked: bigint }

/** The stakes of these solvers; those without any are left out. */
export async function loadStakes(
  db: Db,
  { chainId, token }: { chainId: number; token: Hex },
  solvers: readonly Hex[],
): Promise<Stake[]> {
  if (solvers.length === 0) return []
  const { rows } = await sql<Stake>`
    select solver, staked, locked from cairn.solver_stake
    where chain_id = ${chainId}::bigint and token = ${token} and solver = any(${[...solvers]}::text[])
      and staked > 0`.execute(db)
  return rows
}
