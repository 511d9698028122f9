import { sql } from 'kysely'
import { StaleWhileRevalidate } from '../../store/cache/staleWhileRevalidate.ts'
import type { Db } from '../../store/database/database.ts'
import type { Balance, SolverRegistration } from './solverRegistration.ts'

/** A solver counts as live for so long after its last registration. */
const LIVE = '10 minutes'

/** Solvers at most: those with a balance come first, so that invented ones can't push them out. */
const MOST = 200

type Row = Omit<SolverRegistration, 'balances'> & {
  balances: (Omit<Balance, 'balance'> & { balance: string })[]
}

/** Milliseconds for which one reading answers all callers: anyone may ask, and anyone may fill the table. */
const LIFE = { freshFor: 1_000, keptFor: 1_000 }

const READINGS = new WeakMap<Db, StaleWhileRevalidate<SolverRegistration[]>>()

/**
 * Solvers registered in the last 10 minutes, those with a balance first, then the latest. At most a second old, and
 * the same array for all who ask meanwhile.
 */
export async function liveRegistrations(db: Db): Promise<readonly SolverRegistration[]> {
  const known = READINGS.get(db) ?? new StaleWhileRevalidate<SolverRegistration[]>(LIFE)
  READINGS.set(db, known)
  return (await known.get(() => readRegistrations(db))).value
}

async function readRegistrations(db: Db): Promise<SolverRegistration[]> {
  const { rows } = await sql<Row>`
    select solver, routes, balances, registered_at as "registeredAt", last_seen as "lastSeen"
    from app.solver_registration where last_seen >= now() - ${LIVE}::interval
    order by jsonb_path_exists(balances, '$[*].balance ? (@ != "0")') desc, last_seen desc
    limit ${MOST}`.execute(db)
  return rows.map(({ balances, ...row }) => ({
    ...row,
    balances: balances.map((one) => ({ ...one, balance: BigInt(one.balance) })),
  }))
}
