import { LRUCache } from 'lru-cache'

export type BucketLimits = {
  /** Sustained requests per second of a client. */
  perSecond: number
  /** Requests at once after a quiet time. */
  burst: number
}

type Verdict = {
  allowed: boolean
  /** Requests that would be allowed now. */
  remaining: number
  /** Whole seconds until `burst` requests are available again. */
  resetSeconds: number
  /** Whole seconds until the next such request is allowed; 0 if it would be now. */
  retrySeconds: number
}

export type TokenBuckets = {
  /**
   * Takes `cost` tokens (default 1), or none if there are fewer. There are never more than `burst`.
   *
   * @param leaving tokens that must be left afterwards; default 0
   */
  take(key: string, cost?: number, leaving?: number): Verdict
  /**
   * Takes `cost` tokens in any case, and returns how long to wait before using them (milliseconds): this spreads
   * successive callers evenly without a queue. A full bucket allows more than `burst`, as a debt for which later
   * callers wait.
   */
  reserve(key: string, cost: number): number
  /** Milliseconds until `cost` tokens could be used, without taking them. */
  waitFor(key: string, cost: number): number
}

type TokenBucketOptions = BucketLimits & {
  /** Limit on remembered clients; those quiet for longest are forgotten. Default 100,000. */
  capacity?: number
  /** Monotonic clock in milliseconds. */
  now?: () => number
}

/**
 * Token buckets by key, each a single number: the time at which the bucket would be full again (the generic cell rate
 * algorithm). Refused requests cost no tokens.
 */
export function createTokenBuckets(options: TokenBucketOptions): TokenBuckets {
  const { perSecond, burst, capacity = 100_000, now = () => performance.now() } = options
  const interval = 1_000 / perSecond
  const depth = burst * interval
  // Not `max`, which allocates 2.8 MB for 100,000 clients at once: an API has twenty of these.
  const fullAt = new LRUCache<string, number>({ maxSize: capacity, sizeCalculation: () => 1 })

  const verdict = (allowed: boolean, wait: number, cost: number): Verdict => ({
    allowed,
    remaining: Math.max(0, Math.floor((depth - wait) / interval + 1e-9)),
    resetSeconds: Math.ceil(wait / 1_000),
    retrySeconds: Math.ceil(Math.max(0, wait + interval * cost - depth - 1e-6) / 1_000),
  })
  const waitFor = (key: string, cost: number) => {
    const debt = Math.max(0, (fullAt.get(key) ?? 0) - now())
    return Math.max(0, debt + interval * Math.min(cost, burst) - depth)
  }
  return {
    waitFor,
    reserve: (key, cost) => {
      const wait = waitFor(key, cost)
      fullAt.set(key, Math.max(fullAt.get(key) ?? 0, now()) + interval * cost)
      return wait
    },
    take: (key, cost = 1, leaving = 0) => {
      const time = now()
      const full = Math.max(fullAt.get(key) ?? 0, time)
      const next = full + interval * cost
      const room = depth - interval * leaving
      if (next - time > room + 1e-6) return verdict(false, full - time, cost + leaving)
      fullAt.set(key, next)
      return verdict(true, next - time, cost)
    },
  }
}
