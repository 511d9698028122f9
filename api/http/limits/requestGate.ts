import type { IncomingMessage } from 'node:http'
import { type BucketLimits, createTokenBuckets } from '../../../services/process/tokenBuckets.ts'
import { findClientAddress, type IsTrustedProxy, writerOf } from './clientAddress.ts'
import { createRateLimit, type RateLimitDecision } from './rateLimit.ts'

export type RequestLimits = {
  /** For each client. */
  reads: BucketLimits
  /** For all clients together. */
  writes: BucketLimits
  /** Of these, for each client; absent: unlimited. */
  clientWrites?: BucketLimits
}

export const DEFAULT_LIMITS: RequestLimits = {
  reads: { perSecond: 50, burst: 100 },
  writes: { perSecond: 100, burst: 200 },
  clientWrites: { perSecond: 20, burst: 50 },
}

/** Counts requests against the limits. The app, the fast path and GraphQL share one. */
export type RequestGate = {
  /**
   * Charges a client for a request.
   *
   * @param request is charged once, however often this is called with it
   */
  take(kind: 'reads' | 'writes', client: string, request?: IncomingMessage): RateLimitDecision
}

/** What a client may write even while others exhaust the rest. */
const LIGHT_WRITES: BucketLimits = { perSecond: 2, burst: 10 }

export function createRequestGate(limits: RequestLimits): RequestGate {
  const reads = createRateLimit('reads', limits.reads)
  const writes = createRateLimit('writes', limits.writes)
  const clientWrites = limits.clientWrites && createRateLimit('client-writes', limits.clientWrites)
  const lightWriters = createTokenBuckets(LIGHT_WRITES)
  const charge = (kind: 'reads' | 'writes', client: string): RateLimitDecision => {
    if (kind === 'reads') return reads.take(client)
    const writer = writerOf(client)
    // A client that has exhausted its own share takes nothing from the others'.
    const own = clientWrites?.take(writer)
    if (own?.allowed === false) return own
    // Heavy writers leave half of the total to light ones, however many they are.
    const isLight = lightWriters.take(writer).allowed
    const all = writes.take('all', 1, isLight ? 0 : Math.floor(limits.writes.burst / 2))
    return own && all.allowed ? withBothNotices(own, all) : all
  }
  const decisions = new WeakMap<IncomingMessage, RateLimitDecision>()
  return {
    take: (kind, client, request) => {
      const decision = (request && decisions.get(request)) ?? charge(kind, client)
      if (request) decisions.set(request, decision)
      return decision
    },
  }
}

/** An allowed write's headers show the client's own limit first: it runs out before that of all clients. */
function withBothNotices(own: RateLimitDecision, all: RateLimitDecision): RateLimitDecision {
  return {
    ...all,
    policy: `${own.policy}, ${all.policy}`,
    limit: `${own.limit}, ${all.limit}`,
  }
}

/** The address by which a Node request's client is rate-limited. */
export function addressOfRequest(
  { socket, headers }: IncomingMessage,
  isTrustedProxy: IsTrustedProxy,
): string {
  // Node joins repeated headers.
  const forwarded = headers['x-forwarded-for'] as string | undefined
  return findClientAddress(socket.remoteAddress, forwarded, isTrustedProxy)
}
