import { RateLimitedError, UnavailableError } from '../../http/apiError.ts'
import { exhaustedNotice } from '../../http/limits/rateLimit.ts'

export type WaiterPoolLimits = {
  /** Things waited for at once. */
  atOnce: number
  /** Callers of one client that wait at once. */
  perClient: number
  /** Per intent, claims of things that the index doesn't know, at once. */
  perIntent: number
}

/** Who waits, and for what; `intent` and `name` are keys. */
export type Wait = {
  client: string
  intent: string
  /** Of the awaited thing: callers with the same name wait together. */
  name: string
  /** Whether the index has it: of such there is one for an intent. */
  isKnown: boolean
}

/**
 * Where callers wait for what should appear on a chain, such as settlements: it is full for one client before
 * it is full for all.
 */
type WaiterPool<Result> = {
  /**
   * Waits with the others of the same name, or begins.
   *
   * @throws ApiError `RATE_LIMITED` (429) or `SETTLEMENT_BUSY` (503)
   */
  wait(wait: Wait, begin: () => Promise<Result>): Promise<Result>
  /** Whether there is no place to wait for one more thing, of another name than those waited for. */
  isFull(name: string): boolean
}

/** An empty pool. */
export function createWaiterPool<Result>(limits: WaiterPoolLimits): WaiterPool<Result> {
  const waits = new Map<string, { intent: string; isKnown: boolean; result: Promise<Result> }>()
  const callers = new Map<string, number>()

  function join({ intent, name, isKnown }: Wait, begin: () => Promise<Result>): Promise<Result> {
    const joined = waits.get(name)
    if (joined) return joined.result
    const claims = [...waits.values()].filter((one) => one.intent === intent && !one.isKnown)
    const isCrowded = !isKnown && claims.length >= limits.perIntent
    if (isCrowded || waits.size >= limits.atOnce) {
      throw new UnavailableError(
        'too many requests are waiting at the moment',
        'SETTLEMENT_BUSY',
        5,
      )
    }
    const result = begin().finally(() => waits.delete(name))
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
