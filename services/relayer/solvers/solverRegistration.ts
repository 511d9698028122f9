import { sql } from 'kysely'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import type { Db } from '../../store/database/openDatabase.ts'
import type { Pair } from '../../store/pairs/pairFilter.ts'

/** What a solver holds of a token, in base units. */
export type Balance = { chainId: number; token: Hex; balance: bigint }

/** A solver as it registered itself, with balances from the chains. */
export type SolverRegistration = {
  solver: Hex
  routes: Pair[]
  balances: Balance[]
  registeredAt: Date
  lastSeen: Date
}

/** How long a registration counts as live, as a PostgreSQL interval. */
export const LIVE_FOR = '10 minutes'

/** Age at which a registration is deleted. */
const DELETED_AFTER = '1 day'

type NewRegistration = Pick<SolverRegistration, 'solver' | 'routes' | 'balances'> & {
  /** The unix second that the solver signed; null for a registration without a signature. */
  signedAt: number | null
}

/**
 * Registers a solver or renews its registration, and deletes expired registrations.
 *
 * @returns false if the solver's live registration is signed, and this one has no signature or an older one
 */
export async function renewRegistration(
  db: Db,
  { solver, routes, balances, signedAt }: NewRegistration,
): Promise<boolean> {
  const texts = balances.map(({ balance, ...place }) => ({ ...place, balance: String(balance) }))
  const { rows } = await sql`
    insert into app.solver_registration as known (solver, routes, balances, signed_at)
    values (${solver}, ${JSON.stringify(routes)}::jsonb, ${JSON.stringify(texts)}::jsonb, ${signedAt})
    on conflict (solver) do update set routes = excluded.routes, balances = excluded.balances,
      signed_at = excluded.signed_at, last_seen = now()
    where known.signed_at is null or known.last_seen < now() - ${LIVE_FOR}::interval
      or excluded.signed_at >= known.signed_at
    returning solver`.execute(db)
  await sql`delete from app.solver_registration
    where last_seen < now() - ${DELETED_AFTER}::interval`.execute(db)
  return rows.length > 0
}
