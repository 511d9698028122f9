import type { IncomingMessage } from 'node:http'
import { type BucketLimits, createTokenBuckets } from '../../../services/process/tokenBucket.ts'
import { clientAddress, type Trusts, writerOf } from './clientAddress.ts'
import { createRateLimit, type Passage } from './rateLimit.ts'

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

/** Counts requests against the limits: one gate for all entrances of a server. */
export type RequestGate = {
  /**
   * Takes one of the client's reads, or one write.
   *
   * @param request takes but once, however often it passes
   */
  pass(kind: 'reads' | 'writes', client: string, request?: IncomingMessage): Passage
}

/** What a client may write even when others use all the rest. */
const LIGHT_WRITES: BucketLimits = { perSecond: 2, burst: 10 }

/** A gate with all its buckets full. */
export function createRequestGate(limits: RequestLimits): RequestGate {
  const reads = createRateLimit('reads', limits.reads)
  const writes = createRateLimit('writes', limits.writes)
  const clientWrites = limits.clientWrites && createRateLimit('client-writes', limits.clientWrites)
  const lightWriters = createTokenBuckets(LIGHT_WRITES)
  const take = (kind: 'reads' | 'writes', client: string): Passage => {
    if (kind === 'reads') return reads.take(client)
    const writer = writerOf(client)
    // A client that has used up its own share takes nothing from the others'.
    const own = clientWrites?.take(writer)
    if (own?.allowed === false) return own
    // Heavy writers, however many, leave half to light ones.
    const isLight = lightWriters.take(writer).allowed
    return writes.take('all', 1, isLight ? 0 : Math.floor(limits.writes.burst / 2))
  }
  const passed = new WeakMap<IncomingMessage, Passage>()
  return {
    pass: (kind, client, request) => {
      const passage = (request && passed.get(request)) ?? take(kind, client)
      if (request) passed.set(request, passage)
      return passage
    },
  }
}

/** The address that a request of Node's is limited by. */
export function addressOfRequest({ socket, headers }: IncomingMessage, trusts: Trusts): string {
  const forwarded = headers['x-forwarded-for']
  const chain = Array.isArray(forwarded) ? forwarded.join(', ') : forwarded
  return clientAddress(socket.remoteAddress, chain, trusts)
}
