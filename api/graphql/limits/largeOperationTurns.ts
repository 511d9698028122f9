import { writerOf } from '../../http/limits/clientAddress.ts'
import { createConcurrencyLimiter } from '../../http/limits/concurrencyLimiter.ts'
import { queryError, queryTimeout } from '../errors/queryError.ts'

/** Entries in the worst case from which an operation is large. */
const LARGE = 1_000
/** Entries in the worst case of a client's large operations that run at once; a larger one runs alone. */
const AT_ONCE = 10_000
/** A client's large operations that wait. */
const MOST_WAITING = 100

type Operation = {
  client: string
  /** See `countWorstCaseEntries`. */
  entries: number
  /** An operation that has waited for longer isn't begun. */
  milliseconds: number
}

/** Runs an operation, a large one in its client's turn. Rejects with RATE_LIMITED if too many are waiting. */
export type LargeOperationTurns = <Result>(
  operation: Operation,
  work: () => Result,
) => Result | Promise<Awaited<Result>>

/**
 * A large answer takes tenths of a second of the only thread, and megabytes until it is sent. All that a client may
 * request within its rate limit would keep the thread from others for seconds, so its large operations take turns.
 */
export function createLargeOperationTurns(): LargeOperationTurns {
  const clients = new Map<string, ReturnType<typeof createConcurrencyLimiter>>()
  const inTurn = async <Result>(
    { client, entries, milliseconds }: Operation,
    work: () => Result,
  ): Promise<Awaited<Result>> => {
    const key = writerOf(client)
    const limiter =
      clients.get(key) ?? createConcurrencyLimiter(AT_ONCE, MOST_WAITING, tooManyWaiting)
    clients.set(key, limiter)
    const until = performance.now() + milliseconds
    const begun = async (): Promise<Awaited<Result>> => {
      if (performance.now() > until) throw queryTimeout()
      return await work()
    }
    return limiter.pass(begun, entries).finally(() => {
      if (limiter.isIdle()) clients.delete(key)
    })
  }
  return (operation, work) => (operation.entries < LARGE ? work() : inTurn(operation, work))
}

function tooManyWaiting() {
  const message = 'too many of your large queries are waiting: ask for smaller pages, or one by one'
  const headers = { 'retry-after': '1' }
  return queryError('RATE_LIMITED', message, { status: 429, headers, details: { retryAfter: 1 } })
}
