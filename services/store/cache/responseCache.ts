import type { ChangeFeed } from '../changes/changeFeed.ts'
import { createLruCache } from './lruCache.ts'

/** Number of changes so far; null while the change feed is disconnected. */
type Revision = number | null

/** Caches whole responses until anything changes: a row, a chain's clock, the views. */
export type ResponseCache<Response> = {
  /** The response to the same request, if nothing has changed since it was read. */
  get(request: string): Response | undefined
  /** To be read before a response is computed, and passed to `set`. */
  revision(): Revision
  /** Stores a response computed since `begun`, unless anything has changed, or (`repeatedOnly`) the request is new. */
  set(request: string, response: Response, bytes: number, begun: Revision): void
}

type ResponseCacheOptions = {
  /**
   * Stores a response only if its request came before, in this revision or an earlier one. Most requests come once, and
   * storing their large responses costs more garbage collection than computing them.
   */
  repeatedOnly?: boolean
}

/** Size of the memory of recent requests: about ten thousand. */
const REQUEST_BYTES = 4_000_000

/**
 * Caches responses between two changes. Chains' heads move every second or two, so nothing lives longer, but a popular
 * response is computed once in that time instead of a thousand times.
 */
export function createResponseCache<Response extends {}>(
  feed: ChangeFeed,
  maxBytes: number,
  { repeatedOnly = false }: ResponseCacheOptions = {},
): ResponseCache<Response> {
  const responses = createLruCache<string, Response>(maxBytes)
  const requests = createLruCache<string, true>(repeatedOnly ? REQUEST_BYTES : 0)
  const isRepeated = (request: string) => {
    if (requests.get(request)) return true
    requests.set(request, true, request.length)
    return false
  }
  let changes = 0
  feed.subscribe(() => {
    changes += 1
    responses.clear()
  })
  const revision = (): Revision => (feed.isConnected() ? changes : null)
  return {
    get: (request) => responses.get(request),
    revision,
    set: (request, response, bytes, begun) => {
      if (repeatedOnly && !isRepeated(request)) return
      if (begun !== null && begun === revision())
        responses.set(request, response, bytes + request.length)
    },
  }
}
