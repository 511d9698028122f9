import type { IncomingMessage } from 'node:http'
import { clientAddress, type Trusts } from './clientAddress.ts'
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

/** Whether a request may go on, and the headers that say so (those of the IETF's RateLimit draft). */
export type Passage = { allowed: boolean; retrySeconds: number; policy: string; limit: string }

/** Counts requests against the limits: one gate for all ways into a server. */
export type RequestGate = {
  /** Takes one read of the client's, or one write of everybody's. */
  pass(kind: 'reads' | 'writes', client: string): Passage
}

/** A gate with all its buckets full. */
export function createRequestGate(limits: RequestLimits): RequestGate {
  const buckets = {
    reads: createTokenBuckets(limits.reads),
    writes: createTokenBuckets(limits.writes),
  }
  const policies = {
    reads: policyOf('reads', limits.reads),
    writes: policyOf('writes', limits.writes),
  }
  return {
    pass: (kind, client) => {
      const verdict = buckets[kind].take(kind === 'reads' ? client : 'all')
      return {
        allowed: verdict.allowed,
        retrySeconds: Math.max(1, verdict.retrySeconds),
        policy: policies[kind],
        limit: `"${kind}";r=${verdict.remaining};t=${verdict.resetSeconds}`,
      }
    },
  }
}

/** The address that a request of Node's is limited by. */
export function addressOfRequest({ socket, headers }: IncomingMessage, trusts: Trusts): string {
  const forwarded = headers['x-forwarded-for']
  const chain = Array.isArray(forwarded) ? forwarded.join(', ') : forwarded
  return clientAddress(socket.remoteAddress, chain, trusts)
}

function policyOf(name: string, { perSecond, burst }: BucketLimits): string {
  return `"${name}";q=${burst};w=${Math.max(1, Math.round(burst / perSecond))}`
}
