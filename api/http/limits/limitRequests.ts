import type { IncomingMessage } from 'node:http'
import type { MiddlewareHandler } from 'hono'
import { readingFor } from '../../../services/store/database/fairShare.ts'
import type { ApiContext, ApiEnv } from '../apiEnv.ts'
import { RateLimitedError } from '../apiError.ts'
import { addressOf, type Trusts } from './clientAddress.ts'
import type { RequestGate } from './requestGate.ts'

/** Endpoints that only read, whatever the method. */
const READS = new Set(['/verify', '/graphql', '/graphql/stream', '/get-routes'])

/**
 * Refuses requests beyond the limits with 429; the others read in their client's share. `OPTIONS` is free:
 * browsers send it before each write.
 */
export function limitRequests(gate: RequestGate, trusts: Trusts): MiddlewareHandler<ApiEnv> {
  return async (c, next) => {
    if (c.req.method === 'OPTIONS') return next()
    const client = addressOf(c, trusts)
    const passage = gate.pass(
      isRead(c) ? 'reads' : 'writes',
      client,
      c.env?.incoming as IncomingMessage,
    )
    c.header('ratelimit-policy', passage.policy)
    c.header('ratelimit', passage.limit)
    if (!passage.allowed) throw new RateLimitedError(passage.retrySeconds, passage)
    return readingFor(client, next)
  }
}

function isRead({ req }: ApiContext): boolean {
  return req.method === 'GET' || req.method === 'HEAD' || READS.has(req.path)
}
