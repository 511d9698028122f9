import type { MiddlewareHandler } from 'hono'
import { readingFor } from '../../services/store/fairShare.ts'
import type { ApiContext, ApiEnv } from './apiEnv.ts'
import { RateLimitedError } from './apiError.ts'
import { addressOf, type Trusts } from './clientAddress.ts'
import { type BucketLimits, createTokenBuckets, type TokenBuckets } from './tokenBucket.ts'

export type RequestLimits = {
  /** For each client. */
  reads: BucketLimits
  /** For all clients together. */
  writes: BucketLimits
  /** Of these, for each client; absent: one client may use all of them. */
  clientWrites?: BucketLimits
}

export const DEFAULT_LIMITS: RequestLimits = {
  reads: { perSecond: 50, burst: 100 },
  writes: { perSecond: 100, burst: 200 },
  clientWrites: { perSecond: 20, burst: 50 },
}

/** POST endpoints that only read. */
const READS_BY_POST = new Set(['/verify', '/graphql', '/get-routes'])

/**
 * Refuses requests beyond the limits with 429; lets the others read in their client's share. `OPTIONS` is free: browsers ask it before each write.
 * Headers are those of the IETF's RateLimit draft.
 */
export function limitRequests(limits: RequestLimits, trusts: Trusts): MiddlewareHandler<ApiEnv> {
  const reads = limiter('reads', limits.reads)
  const writes = limiter('writes', limits.writes)
  const clientWrites = limits.clientWrites && limiter('client-writes', limits.clientWrites)
  return async (c, next) => {
    if (c.req.method === 'OPTIONS') return next()
    const client = addressOf(c, trusts)
    const bucket = isRead(c) ? reads : (clientWrites ?? writes)
    spend(c, bucket, bucket === writes ? 'all' : client)
    if (bucket === clientWrites) spend(c, writes, 'all')
    return readingFor(client, next)
  }
}

type Limiter = { name: string; policy: string; buckets: TokenBuckets }

function limiter(name: string, limits: BucketLimits): Limiter {
  return { name, policy: policyOf(name, limits), buckets: createTokenBuckets(limits) }
}

/** Takes a token and says in the answer's headers how many are left. */
function spend(c: ApiContext, { name, policy, buckets }: Limiter, key: string): void {
  const verdict = buckets.take(key)
  c.header('ratelimit-policy', policy)
  c.header('ratelimit', `"${name}";r=${verdict.remaining};t=${verdict.resetSeconds}`)
  if (!verdict.allowed) throw new RateLimitedError(Math.max(1, verdict.retrySeconds))
}

function isRead({ req }: ApiContext): boolean {
  return req.method === 'GET' || req.method === 'HEAD' || READS_BY_POST.has(req.path)
}

function policyOf(name: string, { perSecond, burst }: BucketLimits): string {
  return `"${name}";q=${burst};w=${Math.max(1, Math.round(burst / perSecond))}`
}
