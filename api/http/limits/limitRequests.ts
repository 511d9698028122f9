import type { IncomingMessage } from 'node:http'
import type { MiddlewareHandler } from 'hono'
import { readingFor } from '../../../services/store/database/fairShares.ts'
import { RateLimitedError } from '../apiError.ts'
import type { ApiContext, ApiEnv } from '../honoEnvironment.ts'
import { addressOf, type IsTrustedProxy } from './clientAddress.ts'
import type { RequestGate } from './requestGate.ts'

/** Endpoints that only read, although they may be POSTed to. */
const READS = new Set(['/verify', '/graphql', '/graphql/stream', '/get-routes'])

/**
 * Refuses requests beyond the rate limits with 429. The others run in their client's share of the database.
 * `OPTIONS` isn't limited: browsers send it before each write.
 */
export function limitRequests(
  gate: RequestGate,
  isTrustedProxy: IsTrustedProxy,
): MiddlewareHandler<ApiEnv> {
  return async (c, next) => {
    if (c.req.method === 'OPTIONS') return next()
    const client = addressOf(c, isTrustedProxy)
    const decision = gate.take(
      isRead(c) ? 'reads' : 'writes',
      client,
      c.env?.incoming as IncomingMessage,
    )
    c.header('ratelimit-policy', decision.policy)
    c.header('ratelimit', decision.limit)
    if (!decision.allowed) throw new RateLimitedError(decision.retrySeconds, decision)
    return readingFor(client, next)
  }
}

function isRead({ req }: ApiContext): boolean {
  return req.method === 'GET' || req.method === 'HEAD' || READS.has(req.path)
}
