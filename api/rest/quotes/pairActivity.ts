import {
  calculatePrices,
  type PairPrices,
  type QuotedSolver,
} from '../../../core/quote/calculateQuote.ts'
import type { SolverRegistration } from '../../../services/relayer/solvers/solverRegistration.ts'
import { createResponseCache } from '../../../services/store/cache/responseCache.ts'
import type { ChangeFeed } from '../../../services/store/changes/changeFeed.ts'
import { readingForAll } from '../../../services/store/database/fairShares.ts'
import type { Db } from '../../../services/store/database/openDatabase.ts'
import { PAIR, type Pair, pairPlace } from '../../../services/store/pairs/pairFilter.ts'
import {
  type Bidder,
  loadBidders,
  loadCompletedIntents,
  loadStakes,
  type Stake,
} from '../../../services/store/quotes/quoteInputs.ts'
import { UnavailableError } from '../../http/apiError.ts'
import { createConcurrencyLimiter } from '../../http/limits/concurrencyLimiter.ts'

type Registrations = readonly Pick<SolverRegistration, 'solver' | 'routes'>[]

/** A pair's recent activity, from which quotes for any amount are made. */
export type PairActivity = {
  prices: PairPrices
  /** The solvers that may bid. Cached for the same registrations. */
  solversAmong(registrations: Registrations): Promise<QuotedSolver[]>
  /** Its size in memory. */
  bytes: number
}

export type PairActivities = {
  /** @param clock the source chain's time, in unix seconds */
  of(pair: Pair, clock: number): Promise<PairActivity>
}

/** Intents created within this many seconds determine the prices. */
export const PRICED_SECONDS = 86_400
/** Solvers that bid within this many seconds are live. */
export const LIVE_SECONDS = 3_600

/** Pairs read at once and queued, over all clients: a busy pair takes 100 ms. */
const READS = { atOnce: 2, waiting: 100 } as const
/** Memory per solver, and the number of solvers that may be registered. */
const ROW_BYTES = 250
const REGISTERED = 200

/**
 * Reads pairs' activity. Between two changes of the index, all requests for a pair share one read.
 *
 * @param maxBytes of cached activity
 */
export function createPairActivities(
  db: Db,
  feed: ChangeFeed,
  maxBytes: number,
  read: typeof readActivity = readActivity,
): PairActivities {
  const cache = createResponseCache<PairActivity>(feed, maxBytes)
  const pending = new Map<string, Promise<PairActivity>>()
  const limiter = createConcurrencyLimiter(READS.atOnce, READS.waiting, busy)
  return {
    of: (pair, clock) => {
      const key = pairPlace(pair).join()
      const cached = cache.get(key)
      if (cached !== undefined) return Promise.resolve(cached)
      const startedAt = cache.revision()
      const pendingKey = `${key},${startedAt}`
      const joined = startedAt === null ? undefined : pending.get(pendingKey)
      if (joined !== undefined) return joined
      const reading = readingForAll(() => limiter.pass(() => read(db, pair, clock)))
        .then((activity) => {
          cache.set(key, activity, activity.bytes, startedAt)
          return activity
        })
        .finally(() => pending.delete(pendingKey))
      pending.set(pendingKey, reading)
      return reading
    },
  }
}

async function readActivity(db: Db, pair: Pair, clock: number): Promise<PairActivity> {
  const createdSince = clock - PRICED_SECONDS
  const [completed, bidders] = await Promise.all([
    loadCompletedIntents(db, pair, createdSince),
    loadBidders(db, pair, { createdSince, since: clock - LIVE_SECONDS }),
  ])
  const prices = calculatePrices(completed)
  return {
    prices,
    solversAmong: solversOf(db, pair, bidders),
    bytes: (prices.wins.size + bidders.length + REGISTERED) * ROW_BYTES,
  }
}

function solversOf(db: Db, pair: Pair, bidders: readonly Bidder[]): PairActivity['solversAmong'] {
  const read = async (registrations: Registrations) => {
    const registered = registeredFor(registrations, pair)
    const live = new Set([...bidders.map(({ solver }) => solver), ...registered])
    const token = { chainId: pair.sourceChainId, token: pair.tokenA }
    const stakes = await readingForAll(() => loadStakes(db, token, [...live]))
    return quotedSolvers(bidders, registered, stakes)
  }
  const known = new WeakMap<Registrations, Promise<QuotedSolver[]>>()
  return (registrations) => {
    const solvers = known.get(registrations) ?? read(registrations)
    known.set(registrations, solvers)
    solvers.catch(() => known.delete(registrations))
    return solvers
  }
}

function busy(): Error {
  return new UnavailableError('too many pairs are being quoted: try again', 'QUOTES_BUSY', 1)
}

function registeredFor(registrations: Registrations, pair: Pair): SolverRegistration['solver'][] {
  return registrations
    .filter(({ routes }) => routes.some((route) => isSame(route, pair)))
    .map(({ solver }) => solver)
}

/**
 * The solvers that bid recently or registered, the most frequent bidders first. Only those with a stake count, since
 * a registration costs nothing.
 */
function quotedSolvers(
  bidders: readonly Bidder[],
  registered: readonly string[],
  stakes: readonly Stake[],
): QuotedSolver[] {
  return stakes
    .map(({ solver, staked, locked }) => {
      const { auctions = 0, lastBidAt = null } = bidders.find((one) => one.solver === solver) ?? {}
      return {
        solver,
        auctions,
        lastBidAt,
        isRegistered: registered.includes(solver),
        staked,
        locked,
      }
    })
    .sort((one, other) => other.auctions - one.auctions || (one.solver < other.solver ? -1 : 1))
}

function isSame(route: Pair, pair: Pair): boolean {
  return PAIR.every((name) => route[name] === pair[name])
}
