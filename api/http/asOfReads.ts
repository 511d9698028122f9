import { createBlockReader } from '../../services/chain/blockReader.ts'
import type { BucketLimits } from '../../services/process/tokenBuckets.ts'
import {
  type AsOfList,
  type AsOfPage,
  countIntentsAsOf,
  listIntentsAsOf,
} from '../../services/store/asOf/listIntentsAsOf.ts'
import {
  type AsOf,
  AsOfError,
  type AsOfSources,
  type BlockRef,
  resolveAsOf,
} from '../../services/store/asOf/resolveAsOf.ts'
import type { ChainsNow } from '../../services/store/chains/chainStateCache.ts'
import { currentReader } from '../../services/store/database/fairShares.ts'
import { UnavailableError } from './apiError.ts'
import { createConcurrencyLimiter } from './limits/concurrencyLimiter.ts'
import { createRateLimit } from './limits/rateLimit.ts'

/** Reads of the state as of an earlier block, shared by REST and GraphQL. */
export type AsOfReads = {
  /**
   * Resolves the requested blocks to a point in time. Charged to the client: it may query a node for a
   * block's time, and reads as of then fold histories.
   *
   * @throws AsOfError, RateLimitedError
   */
  at(now: ChainsNow, blocks: readonly BlockRef[]): Promise<AsOf>
  /** A page of intents as of then. Only a few pages are built at once. */
  list(page: AsOfPage, asOf: AsOf): Promise<AsOfList>
  /** The number of intents. Throws AsOfError if the filter uses anything that changes during an intent's life. */
  count(filter: AsOfPage['filter'], asOf: AsOf): Promise<number>
}

/** Points in time that a client may request, on top of the API's general limit. */
const AS_OF_LIMITS: BucketLimits = { perSecond: 10, burst: 40 }
/** Pages built at once and queued, over all clients: a page may take 100 ms. */
const PAGES = { atOnce: 2, waiting: 40 } as const

export function createAsOfReads(
  sources: Omit<AsOfSources, 'readBlock'> & Partial<AsOfSources>,
  limits: BucketLimits = AS_OF_LIMITS,
): AsOfReads {
  const { db, configured } = sources
  const allSources = { readBlock: createBlockReader(configured), ...sources }
  const moments = createRateLimit('past-reads', limits)
  const limiter = createConcurrencyLimiter(PAGES.atOnce, PAGES.waiting, busy)
  return {
    at: async (now, blocks) => {
      const cost = Math.min(Math.max(1, blocks.length), limits.burst)
      moments.require(currentReader() ?? '', cost)
      return resolveAsOf(allSources, now, blocks)
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
  return new UnavailableError(
    'too many lists of the past are being read: try again',
    'HISTORY_BUSY',
    2,
  )
}
