import { sql } from 'kysely'
import { z } from 'zod'
import { BOND_BPS, BPS_DENOMINATOR } from '../../../src/money/bps.ts'
import { StaleWhileRevalidate } from '../../store/cache/staleWhileRevalidate.ts'
import type { Db } from '../../store/database/openDatabase.ts'
import { type Balance, LIVE_FOR, type SolverRegistration } from './solverRegistration.ts'

/** Milliseconds for which one read answers all callers: anyone may ask, and anyone may fill the table. */
const LIFE = { freshFor: 1_000, keptFor: 1_000 }

const CACHES = new WeakMap<Db, StaleWhileRevalidate<SolverRegistration[]>>()

/**
 * Lists the solvers registered in the last ten minutes. Those with a stake come first, alternating between the largest
 * stakes of each token and the most settlements; then those with the most settlements, with a balance, seen last. Routes
 * of tokens that no bridge lists are left out: anyone may register thousands of them.
 *
 * @returns at most a second old, and the same array for all callers meanwhile
 */
export async function listLiveSolvers(db: Db): Promise<readonly SolverRegistration[]> {
  const cache = CACHES.get(db) ?? new StaleWhileRevalidate<SolverRegistration[]>(LIFE)
  CACHES.set(db, cache)
  return (await cache.get(() => readLiveSolvers(db))).value
}

/** Maximum length of the list. Its order keeps invented solvers from pushing out others. */
const MAX_SOLVERS = 200

type Row = Omit<SolverRegistration, 'balances'> & {
  balances: (Omit<Balance, 'balance'> & { balance: string })[]
}

const address = z.string().regex(/^0x[0-9a-f]{40}$/)
const chainId = z.number().int().positive()

const rowSchema = z.object({
  routes: z.array(
    z.object({ sourceChainId: chainId, destChainId: chainId, tokenA: address, tokenB: address }),
  ),
  balances: z.array(z.object({ chainId, token: address, balance: z.string().regex(/^\d{1,78}$/) })),
  registeredAt: z.date(),
  lastSeen: z.date(),
})

async function readLiveSolvers(db: Db): Promise<SolverRegistration[]> {
  const { rows } = await sql<Row>`
    with live as (
      select solver, routes, balances, registered_at, last_seen from app.solver_registration
      where last_seen >= now() - ${LIVE_FOR}::interval),
    -- Tokens take turns: a stake costs little where a token is worth little or its smallest amount is tiny, and no unit
    -- compares tokens. So a solver is outranked in its token only by more of that token.
    staked as (
      select solver, min(turn) as turn from (
        select stake.solver, row_number() over (
          partition by stake.chain_id, stake.token order by stake.staked desc) as turn
        from live join cairn.solver_stake stake using (solver)
        join cairn.bridge_token token on token.chain_id = stake.chain_id and token.token = stake.token
        where token.listed and stake.staked >=
          greatest(floor(token.min_amount * ${BOND_BPS} / ${BPS_DENOMINATOR}), 1)) as turns
      group by solver),
    settled as (
      select solver, sum(settlements) as settlements from cairn.solver_record group by solver),
    ranked as (
      select *, row_number() over (order by turn, settlements desc nulls last) as by_stake,
        row_number() over (order by turn is null, settlements desc nulls last, turn) as by_record
      from live left join staked using (solver) left join settled using (solver)),
    -- What costs most to fake comes first; a balance can move from one account to the next. Settlements of the smallest
    -- amounts cost less than a stake, and a stake can be had back: who has more of one can't push out who has the other.
    placed as (
      select *, row_number() over (
        order by turn is null, case when turn is not null then least(by_stake, by_record) end,
          settlements desc nulls last, jsonb_path_exists(balances, '$[*].balance ? (@ != "0")') desc,
          last_seen desc) as place
      from ranked),
    listed as materialized (
      select chain_id || ':' || token as name from cairn.bridge_token where listed)
    select solver, balances, registered_at as "registeredAt", last_seen as "lastSeen",
      case when jsonb_typeof(routes) = 'array' then (
        select coalesce(jsonb_agg(route), '[]') from jsonb_array_elements(routes) route
        where (route ->> 'sourceChainId') || ':' || (route ->> 'tokenA') in (select name from listed)
          and (route ->> 'destChainId') || ':' || (route ->> 'tokenB') in (select name from listed)) end as routes
    from placed where place <= ${MAX_SOLVERS} order by place`.execute(db)
  // A tampered row must not hide the others.
  const registered = rows.filter((row) => rowSchema.safeParse(row).success)
  return registered.map(({ balances, ...row }) => ({
    ...row,
    balances: balances.map((one) => ({ ...one, balance: BigInt(one.balance) })),
  }))
}
