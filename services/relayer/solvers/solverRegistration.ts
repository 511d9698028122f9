import { sql } from 'kysely'
import { erc20Abi } from 'viem'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import { BOND_BPS, BPS_DENOMINATOR } from '../../../src/money/bps.ts'
import type { chainClient } from '../../chain/chainClient.ts'
import { StaleWhileRevalidate } from '../../store/cache/staleWhileRevalidate.ts'
import type { BridgeDetail } from '../../store/chains/listBridges.ts'
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

/** Age at which a registration is deleted. */
const KEPT = '1 day'

/** How long a registration counts as live. */
const LIVE = '10 minutes'

type NewRegistration = Pick<SolverRegistration, 'solver' | 'routes' | 'balances'> & {
  /** The unix second that the solver signed; null for a registration without a signature. */
  signedAt: number | null
}

/**
 * Registers a solver or renews its registration, and deletes expired registrations.
 *
 * @returns false if the solver's live registration is signed, and this one has no signature or an older one
 */
export async function saveRegistration(
  db: Db,
  { solver, routes, balances, signedAt }: NewRegistration,
): Promise<boolean> {
  const texts = balances.map(({ balance, ...place }) => ({ ...place, balance: String(balance) }))
  const { rows } = await sql`
    insert into app.solver_registration as known (solver, routes, balances, signed_at)
    values (${solver}, ${JSON.stringify(routes)}::jsonb, ${JSON.stringify(texts)}::jsonb, ${signedAt})
    on conflict (solver) do update set routes = excluded.routes, balances = excluded.balances,
      signed_at = excluded.signed_at, last_seen = now()
    where known.signed_at is null or known.last_seen < now() - ${LIVE}::interval
      or excluded.signed_at >= known.signed_at
    returning solver`.execute(db)
  await sql`delete from app.solver_registration
    where last_seen < now() - ${KEPT}::interval`.execute(db)
  return rows.length > 0
}

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

/** Reads a chain; null for one that isn't configured. */
type ClientOf = (chainId: number) => Pick<ReturnType<typeof chainClient>, 'multicall'> | null

/**
 * What an account holds of the tokens of these routes, on both sides, read on the chains themselves.
 * A chain that doesn't answer, and a token that is none, are left out.
 */
export async function readBalances(
  clientOf: ClientOf,
  account: Hex,
  routes: readonly Route[],
): Promise<Balance[]> {
  const requested = new Map<number, Set<Hex>>()
  for (const { sourceChainId, destChainId, tokenA, tokenB } of routes) {
    requested.set(sourceChainId, (requested.get(sourceChainId) ?? new Set()).add(tokenA))
    requested.set(destChainId, (requested.get(destChainId) ?? new Set()).add(tokenB))
  }
  const ofChains = [...requested].map(([chainId, tokens]) =>
    onChain(clientOf, chainId, account, tokens),
  )
  return (await Promise.all(ofChains)).flat()
}

async function onChain(
  clientOf: ClientOf,
  chainId: number,
  account: Hex,
  tokens: ReadonlySet<Hex>,
): Promise<Balance[]> {
  const contracts = [...tokens].map((address) => ({
    ...{ address, abi: erc20Abi, functionName: 'balanceOf' as const },
    args: [account] as const,
  }))
  const results = await clientOf(chainId)
    ?.multicall({ contracts })
    .catch(() => null)
  return (results ?? []).flatMap(({ result }, position) => {
    const token = [...tokens][position]
    return typeof result === 'bigint' && token ? [{ chainId, token, balance: result }] : []
  })
}

/** Whether an intent can be created on a pair now. */
type IsOpen = (route: Route) => boolean

/**
 * Pairs that the bridges allow: the token may leave the source chain, the destination is listed, the
 * other token is one that the destination chain's bridge knows, and creation isn't paused.
 */
export function openPairs(bridges: readonly BridgeDetail[]): IsOpen {
  const listed = new Set<string>()
  const ways = new Set<string>()
  for (const { chainId, tokens, destinations, creationPaused } of bridges) {
    for (const { token, listed: isListed } of tokens) {
      if (isListed) listed.add(`${chainId}:${token}`)
    }
    for (const { destChainId, listed: isListed } of destinations) {
      if (isListed && !creationPaused) ways.add(`${chainId}:${destChainId}`)
    }
  }
  return ({ sourceChainId, destChainId, tokenA, tokenB }) =>
    ways.has(`${sourceChainId}:${destChainId}`) &&
    listed.has(`${sourceChainId}:${tokenA}`) &&
    listed.has(`${destChainId}:${tokenB}`)
}
