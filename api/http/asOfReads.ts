import { blockTimes } from '../../services/chain/blockTimes.ts'
import type { BucketLimits } from '../../services/process/tokenBucket.ts'
import {
  type AsOfList,
  type AsOfPage,
  countIntentsAsOf,
  listIntentsAsOf,
} from '../../services/store/asOf/listIntentsAsOf.ts'
import {
  type AskedBlock,
  type AsOf,
  AsOfError,
  type AsOfSources,
  resolveAsOf,
} from '../../services/store/asOf/resolveAsOf.ts'
import type { ChainsNow } from '../../services/store/chains/chainStateCache.ts'
import { currentReader } from '../../services/store/database/fairShare.ts'
import { UnavailableError } from './apiError.ts'
import { createConcurrencyLimiter } from './limits/concurrencyLimiter.ts'
import { createRateLimit } from './limits/rateLimit.ts'

/** Reads of the state at an earlier block, for REST and GraphQL alike. */
export type AsOfReads = {
  /**
   * The moment of some chains' blocks. Charged to the client, since it may take a request to a node for
   * the block's time, and histories are folded.
   *
   * @throws AsOfError, RateLimitedError
   */
  at(now: ChainsNow, asked: readonly AskedBlock[]): Promise<AsOf>
  /** A page of intents as they stood; few such pages are made at once. */
  list(page: AsOfPage, asOf: AsOf): Promise<AsOfList>
  /** How many intents there were. Throws AsOfError when the filter asks for what changes. */
  count(filter: AsOfPage['filter'], asOf: AsOf): Promise<number>
}

/** Moments that a client may request: each counts in addition to the API's own limit. */
const AS_OF_LIMITS: BucketLimits = { perSecond: 10, burst: 40 }
/** Pages that are made at once and that wait, over all clients: a page may take a tenth of a second. */
const PAGES = { atOnce: 2, waiting: 40 } as const

export function createAsOfReads(
  sources: Omit<AsOfSources, 'blockTimes'> & Partial<AsOfSources>,
  limits: BucketLimits = AS_OF_LIMITS,
): AsOfReads {
  const { db, configured } = sources
  const known = { blockTimes: blockTimes(configured), ...sources }
  const moments = createRateLimit('past-reads', limits)
  const limiter = createConcurrencyLimiter(PAGES.atOnce, PAGES.waiting, busy)
  return {
    at: async (now, asked) => {
      const cost = Math.min(Math.max(1, asked.length), limits.burst)
      moments.require(currentReader() ?? '', cost)
      return resolveAsOf(known, now, asked)
    },
    list: (page, asOf) => limiter.pass(() => listIntentsAsOf(db, page, asOf)),
    count: async (filter, asOf) => {
      const counted = await countIntentsAsOf(db, filter, asOf)
      if (counted !== null) return counted
      throw new AsOfError(
        'bad_choice',
        'with asOf, a list can be counted only if its filters never change during an intent’s life',
      )
    },
  }
}

function busy(): UnavailableError {
  return new UnavailableError('too many lists of the past are being read', 'HISTORY_BUSY', 2)
}
