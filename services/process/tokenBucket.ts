import { LRUCache } from 'lru-cache'

export type BucketLimits = {
  /** Requests a second that a client may make for ever. */
  perSecond: number
  /** Requests that a client which was quiet may make at once. */
  burst: number
}

type Verdict = {
  allowed: boolean
  /** Requests that would be let through right now. */
  remaining: number
  /** Whole seconds until `burst` requests are there again. */
  resetSeconds: number
  /** Whole seconds until the next such request is let through; 0 if it would be now. */
  retrySeconds: number
}

export type TokenBuckets = {
  /**
   * Takes `cost` tokens (default 1), or none when there are fewer. More than `burst` are never there.
   *
   * @param leaving tokens that have to be left afterwards; default 0
   */
  take(key: string, cost?: number, leaving?: number): Verdict
  /**
   * Takes `cost` tokens in any case, and says how long to wait before using them (milliseconds):
   * successive callers are spread out evenly without a queue. More than `burst` may be used once the
   * bucket is full; they leave a debt that later callers wait for.
   */
  reserve(key: string, cost: number): number
  /** Milliseconds until `cost` tokens could be used, without taking them. */
  waitFor(key: string, cost: number): number
}

type TokenBucketOptions = BucketLimits & {
  /** Clients remembered at most; beyond it those quiet the longest are forgotten. Default 100,000. */
  capacity?: number
  /** Milliseconds of a clock that only goes forward. */
  now?: () => number
}

/**
 * One token bucket a key, each held as a single number: the time at which the bucket would be full
 * again (the generic cell rate algorithm). Refused requests cost no tokens.
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
