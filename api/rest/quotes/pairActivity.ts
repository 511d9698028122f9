import { type PairPrices, pricesOf, type QuotedSolver } from '../../../core/quote/quoteOf.ts'
import type { SolverRegistration } from '../../../services/relayer/solvers/solverRegistration.ts'
import { createResponseCache } from '../../../services/store/cache/responseCache.ts'
import type { ChangeFeed } from '../../../services/store/changes/changeFeed.ts'
import type { Db } from '../../../services/store/database/database.ts'
import { readingForAll } from '../../../services/store/database/fairShare.ts'
import type { Pair } from '../../../services/store/pairs/pairFilter.ts'
import {
  type Bidder,
  loadBidders,
  loadCompletedIntents,
  loadStakes,
} from '../../../services/store/quotes/quoteInputs.ts'
import { UnavailableError } from '../../http/apiError.ts'
import { createConcurrencyLimiter } from '../../http/limits/concurrencyLimiter.ts'
import { quotedSolvers, registeredFor } from './quotedSolvers.ts'

type Registrations = readonly Pick<SolverRegistration, 'solver' | 'routes'>[]

/** Recent activity of a pair, independent of the requested amount. */
export type PairActivity = {
  prices: PairPrices
  /** The solvers that may bid; read once for the same registrations. */
  solversAmong(registrations: Registrations): Promise<QuotedSolver[]>
  /** What it takes in memory. */
  bytes: number
}

export type PairActivities = {
  /** @param clock unix seconds, by the source chain's head */
  of(pair: Pair, clock: number): Promise<PairActivity>
}

/** Seconds: intents created within them make prices, and solvers that bid within them are live. */
export const PRICED_SECONDS = 86_400
export const LIVE_SECONDS = 3_600

/** Pairs that are read at once and that wait, over all clients: a busy pair takes a tenth of a second. */
const READS = { atOnce: 2, waiting: 100 } as const
/** What a solver takes in memory, and how many may be registered. */
const ROW_BYTES = 250
const REGISTERED = 200

/**
 * Reads pairs' activity. All requests for a pair between two changes, for any amounts, share one reading;
 * readings of many pairs take turns.
 *
 * @param room bytes to remember readings in
 */
export function createPairActivities(
  db: Db,
  feed: ChangeFeed,
  room: number,
  read: typeof readActivity = readActivity,
): PairActivities {
  const known = createResponseCache<PairActivity>(feed, room)
  const reading = new Map<string, Promise<PairActivity>>()
  const limiter = createConcurrencyLimiter(READS.atOnce, READS.waiting, busy)
  return {
    of: (pair, clock) => {
      const question = Object.values(pair).join()
      const remembered = known.recall(question)
      if (remembered !== undefined) return Promise.resolve(remembered)
      const begun = known.moment()
      const key = `${question},${begun}`
      const joined = begun === null ? undefined : reading.get(key)
      if (joined !== undefined) return joined
      const mine = readingForAll(() => limiter.pass(() => read(db, pair, clock)))
        .then((activity) => {
          known.keep(question, activity, activity.bytes, begun)
          return activity
        })
        .finally(() => reading.delete(key))
      reading.set(key, mine)
      return mine
    },
  }
}

async function readActivity(db: Db, pair: Pair, clock: number): Promise<PairActivity> {
  const createdSince = clock - PRICED_SECONDS
  const [completed, bidders] = await Promise.all([
    loadCompletedIntents(db, pair, createdSince),
    loadBidders(db, pair, { createdSince, since: clock - LIVE_SECONDS }),
  ])
  const prices = pricesOf(completed)
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
  let known: { registrations: Registrations; solvers: Promise<QuotedSolver[]> } | null = null
  return (registrations) => {
    if (known?.registrations === registrations) return known.solvers
    const mine = { registrations, solvers: read(registrations) }
    known = mine
    mine.solvers.catch(() => {
      if (known === mine) known = null
    })
    return mine.solvers
  }
}

function busy(): Error {
  return new UnavailableError('too many pairs are being quoted', 'QUOTES_BUSY', 1)
}
