import type { MiddlewareHandler } from 'hono'
import { readingFor } from '../../services/store/fairShare.ts'
import type { ApiContext, ApiEnv } from './apiEnv.ts'
import { RateLimitedError } from './apiError.ts'
import { addressOf, type Trusts } from './clientAddress.ts'
import { type BucketLimits, createTokenBuckets } from './tokenBucket.ts'

export type RequestLimits = {
  /** For each client. */
  reads: BucketLimits
  /** For all clients together. */
  writes: BucketLimits
}

export const DEFAULT_LIMITS: RequestLimits = {
  reads: { perSecond: 50, burst: 100 },
  writes: { perSecond: 100, burst: 200 },
}

/** POST endpoints that only read. */
const READS_BY_POST = new Set(['/verify', '/graphql'])

/**
 * Refuses requests beyond the limits with 429; lets the others read in their client's share. `OPTIONS` is free: browsers ask it before each write.
 * Headers are those of the IETF's RateLimit draft.
 */
export function limitRequests(limits: RequestLimits, trusts: Trusts): MiddlewareHandler<ApiEnv> {
  const reads = createTokenBuckets(limits.reads)
  const writes = createTokenBuckets(limits.writes)
  const readPolicy = policyOf('reads', limits.reads)
  const writePolicy = policyOf('writes', limits.writes)
  return async (c, next) => {
    if (c.req.method === 'OPTIONS') return next()
    const reading = isRead(c)
    const client = addressOf(c, trusts)
    const verdict = reading ? reads.take(client) : writes.take('all')
    c.header('ratelimit-policy', reading ? readPolicy : writePolicy)
    const name = reading ? 'reads' : 'writes'
    c.header('ratelimit', `"${name}";r=${verdict.remaining};t=${verdict.resetSeconds}`)
    if (!verdict.allowed) throw new RateLimitedError(Math.max(1, verdict.retrySeconds))
    return readingFor(client, next)
  }
}

function isRead({ req }: ApiContext): boolean {
  return req.method === 'GET' || req.method === 'HEAD' || READS_BY_POST.has(req.path)
}

function policyOf(name: string, { perSecond, burst }: BucketLimits): string {
  return `"${name}";q=${burst};w=${Math.max(1, Math.round(burst / perSecond))}`
}
