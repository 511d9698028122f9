import { readingForAll } from '../../../services/store/database/fairShares.ts'
import { RateLimitedError, UnavailableError } from '../../http/apiError.ts'
import { exhaustedNotice } from '../../http/limits/rateLimit.ts'

export type WaiterPoolLimits = {
  /** Distinct results waited for at once. */
  atOnce: number
  /** Requests of one client that wait at once. */
  perClient: number
  /** Distinct results per intent that the index doesn't know, at once. */
  perIntent: number
}

/** A caller, and what it waits for. */
export type Wait = {
  client: string
  intent: string
  /** Identifies the result: callers with the same name share one wait. */
  name: string
  /** Whether the index knows of it. There is only one such result per intent. */
  isKnown: boolean
}

/**
 * Lets callers wait for something to appear on a chain, such as a settlement. One client can't fill the pool.
 */
type WaiterPool<Result> = {
  /**
   * Joins the wait of the same name, or begins one. Its reads count against no client's share of the database.
   *
   * @throws ApiError `RATE_LIMITED` (429) or `SETTLEMENT_BUSY` (503)
   */
  wait(wait: Wait, begin: () => Promise<Result>): Promise<Result>
  /** Whether a wait of this name can't begin, and can't be joined. */
  isFull(name: string): boolean
}

export function createWaiterPool<Result>(limits: WaiterPoolLimits): WaiterPool<Result> {
  const waits = new Map<string, { intent: string; isKnown: boolean; result: Promise<Result> }>()
  const callers = new Map<string, number>()

  function join({ intent, name, isKnown }: Wait, begin: () => Promise<Result>): Promise<Result> {
    const joined = waits.get(name)
    if (joined) return joined.result
    const claims = [...waits.values()].filter((one) => one.intent === intent && !one.isKnown)
    const isCrowded = !isKnown && claims.length >= limits.perIntent
    if (isCrowded || waits.size >= limits.atOnce) {
      throw new UnavailableError('too many requests are waiting: try again', 'SETTLEMENT_BUSY', 5)
    }
    const result = readingForAll(begin).finally(() => waits.delete(name))
    waits.set(name, { intent, isKnown, result })
    return result
  }

  return {
    isFull: (name) => !waits.has(name) && waits.size >= limits.atOnce,
    async wait(wait, begin) {
      const { client } = wait
      const others = callers.get(client) ?? 0
      if (others >= limits.perClient) {
        throw new RateLimitedError(5, exhaustedNotice('settle-waits', limits.perClient, 5))
      }
      callers.set(client, others + 1)
      try {
        return await join(wait, begin)
      } finally {
        const left = (callers.get(client) ?? 1) - 1
        if (left === 0) callers.delete(client)
        else callers.set(client, left)
      }
    },
  }
}
