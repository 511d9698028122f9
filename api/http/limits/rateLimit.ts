import { type BucketLimits, createTokenBuckets } from '../../../services/process/tokenBuckets.ts'
import { RateLimitedError } from '../apiError.ts'

/** A limit's `RateLimit-Policy` and `RateLimit` headers (IETF draft). */
type RateLimitNotice = { policy: string; limit: string }

/** Whether a request may proceed, and the headers that describe the limit. */
export type RateLimitDecision = RateLimitNotice & { allowed: boolean; retrySeconds: number }

/** A named rate limit, counted per key. */
type RateLimit = {
  /** Takes `cost` (default 1) unless that would leave less than `leaving` (default 0). */
  take(key: string, cost?: number, leaving?: number): RateLimitDecision
  /** The same. @throws RateLimitedError that describes this limit */
  require(key: string, cost?: number, leaving?: number): void
}

export function createRateLimit(
  name: string,
  limits: BucketLimits & { capacity?: number; now?: () => number },
): RateLimit {
  const buckets = createTokenBuckets(limits)
  const policy = policyOf(name, limits)
  const take: RateLimit['take'] = (key, cost, leaving) => {
    const { allowed, remaining, retrySeconds, resetSeconds } = buckets.take(key, cost, leaving)
    const limit = `"${name}";r=${remaining};t=${resetSeconds}`
    return { allowed, retrySeconds: Math.max(1, retrySeconds), policy, limit }
  }
  return {
    take,
    require: (key, cost, leaving) => {
      const decision = take(key, cost, leaving)
      if (!decision.allowed) throw new RateLimitedError(decision.retrySeconds, decision)
    },
  }
}

/** The headers of an exhausted limit that isn't a token bucket: its size, and when to retry. */
export function exhaustedNotice(name: string, most: number, retrySeconds: number): RateLimitNotice {
  return {
    policy: `"${name}";q=${most};w=${retrySeconds}`,
    limit: `"${name}";r=0;t=${retrySeconds}`,
  }
}

function policyOf(name: string, { perSecond, burst }: BucketLimits): string {
  return `"${name}";q=${burst};w=${Math.max(1, Math.round(burst / perSecond))}`
}
