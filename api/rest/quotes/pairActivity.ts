import type { CompletedIntent } from '../../../core/quote/quoteOf.ts'
import { createResponseCache } from '../../../services/store/cache/responseCache.ts'
import type { ChangeFeed } from '../../../services/store/changes/changeFeed.ts'
import type { Db } from '../../../services/store/database/database.ts'
import { readingForAll } from '../../../services/store/database/fairShare.ts'
import type { Pair } from '../../../services/store/intents/pairFilter.ts'
import { type Bidder, loadBidders } from '../../../services/store/quotes/loadBidders.ts'
import { loadCompleted } from '../../../services/store/quotes/loadCompleted.ts'
import { UnavailableError } from '../../http/apiError.ts'
import { createConcurrencyLimiter } from '../../http/limits/concurrencyLimiter.ts'

/** Recent activity of a pair, independent of the requested amount. */
export type PairActivity = { completed: CompletedIntent[]; bidders: Bidder[] }

export type PairActivities = {
  /** @param clock unix seconds, by the source chain's head */
  of(pair: Pair, clock: number): Promise<PairActivity>
}

/** Seconds: intents created within them make prices, and solvers that bid within them are live. */
export const PRICED_SECONDS = 86_400
export const LIVE_SECONDS = 3_600

/** Pairs that are read at once and that wait, over all clients: a busy pair takes a tenth of a second. */
const READS = { atOnce: 2, waiting: 100 } as const
/** What an intent or a bidder takes in memory. */
const ROW_BYTES = 250

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
          const rows = activity.completed.length + activity.bidders.length
          known.keep(question, activity, rows * ROW_BYTES, begun)
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
    loadCompleted(db, pair, createdSince),
    loadBidders(db, pair, { createdSince, since: clock - LIVE_SECONDS }),
  ])
  return { completed, bidders }
}

function busy(): Error {
  return new UnavailableError('too many pairs are being quoted', 'QUOTES_BUSY', 1)
}
