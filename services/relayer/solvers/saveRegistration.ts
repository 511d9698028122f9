import { sql } from 'kysely'
import type { Db } from '../../store/database/database.ts'
import type { SolverRegistration } from './solverRegistration.ts'

/** Registrations not renewed for so long are deleted. */
const KEPT = '1 day'

/** Registers a solver, or renews its registration; deletes those of solvers that are long gone. */
export async function saveRegistration(
  db: Db,
  { solver, routes, balances }: Pick<SolverRegistration, 'solver' | 'routes' | 'balances'>,
): Promise<void> {
  const texts = balances.map(({ balance, ...place }) => ({ ...place, balance: String(balance) }))
  await sql`
    insert into app.solver_registration (solver, routes, balances)
    values (${solver}, ${JSON.stringify(routes)}::jsonb, ${JSON.stringify(texts)}::jsonb)
    on conflict (solver) do update
      set routes = excluded.routes, balances = excluded.balances, last_seen = now()`.execute(db)
  await sql`delete from app.solver_registration
    where last_seen < now() - ${KEPT}::interval`.execute(db)
}
