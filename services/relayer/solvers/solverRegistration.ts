import { sql } from 'kysely'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import { BOND_BPS, BPS_DENOMINATOR } from '../../../src/money/bps.ts'
import { StaleWhileRevalidate } from '../../store/cache/staleWhileRevalidate.ts'
import type { Db } from '../../store/database/database.ts'

/** A directed pair of tokens. Addresses in lower case. */
export type Route = { sourceChainId: number; destChainId: number; tokenA: Hex; tokenB: Hex }

/** What a solver holds of a token, in base units. */
export type Balance = { chainId: number; token: Hex; balance: bigint }

/** A solver as it registered itself, with balances from the chains. */
export type SolverRegistration = {
  solver: Hex
  routes: Route[]
  balances: Balance[]
  registeredAt: Date
  lastSeen: Date
}

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

/** A solver counts as live for so long after its last registration. */
const LIVE = '10 minutes'

/** Most solvers in the list; its order keeps invented ones from pushing others out. */
const MOST = 200

/** Solvers whose stake backs a bid for the smallest amount that a bridge accepts of some token, and how many such bids. */
const STAKED = sql.raw(`select solver, sum(staked / bond) as bids from (
    select stake.solver, stake.staked,
      greatest(floor(token.min_amount * ${BOND_BPS} / ${BPS_DENOMINATOR}), 1) as bond
    from cairn.solver_stake stake
    join cairn.bridge_token token on token.chain_id = stake.chain_id and token.token = stake.token
    where token.listed) as stakes
  where staked >= bond group by solver`)

const SETTLED = sql.raw(
  'select solver, sum(settlements) as settlements from cairn.solver_record group by solver',
)

type Row = Omit<SolverRegistration, 'balances'> & {
  balances: (Omit<Balance, 'balance'> & { balance: string })[]
}

/** Milliseconds for which one reading answers all callers: anyone may ask, and anyone may fill the table. */
const LIFE = { freshFor: 1_000, keptFor: 1_000 }

const READINGS = new WeakMap<Db, StaleWhileRevalidate<SolverRegistration[]>>()

/**
 * Solvers registered in the last 10 minutes: those with a stake first, in turn the one with the largest and the one
 * with the most settlements; then those with the most settlements, then those with a balance, then the latest. At most
 * a second old, and the same array for all who ask meanwhile.
 */
export async function liveRegistrations(db: Db): Promise<readonly SolverRegistration[]> {
  const known = READINGS.get(db) ?? new StaleWhileRevalidate<SolverRegistration[]>(LIFE)
  READINGS.set(db, known)
  return (await known.get(() => readRegistrations(db))).value
}

async function readRegistrations(db: Db): Promise<SolverRegistration[]> {
  const { rows } = await sql<Row>`
    with live as (
      select solver, routes, balances, registered_at, last_seen, bids, coalesce(settlements, 0) as settlements
      from app.solver_registration
      left join (${STAKED}) as staked using (solver) left join (${SETTLED}) as settled using (solver)
      where last_seen >= now() - ${LIVE}::interval),
    ranked as (
      select *, row_number() over (order by bids desc nulls last, settlements desc) as by_stake,
        row_number() over (order by bids is not null desc, settlements desc, bids desc) as by_record
      from live)
    select solver, routes, balances, registered_at as "registeredAt", last_seen as "lastSeen" from ranked
    -- What costs most to fake comes first; a balance can move from one account to the next. Settlements of the smallest
    -- amounts cost less than a stake, and a stake can be had back: who has more of one can't push out who has the other.
    order by bids is not null desc, case when bids is not null then least(by_stake, by_record) end,
      settlements desc, jsonb_path_exists(balances, '$[*].balance ? (@ != "0")') desc, last_seen desc
    limit ${MOST}`.execute(db)
  return rows.map(({ balances, ...row }) => ({
    ...row,
    balances: balances.map((one) => ({ ...one, balance: BigInt(one.balance) })),
  }))
}
