import type { Logger } from 'pino'
import type { ApiError } from './apiError.ts'
import type { Failure } from './baseApp.ts'
import { createLineLimit } from './lineLimit.ts'

type Level = 'debug' | 'warn' | 'error'

/**
 * Logs each response of status 500 or above with its cause. While the database is unreachable, every request is one:
 * in a flood most lines are dropped; the next line of the same level says how many. Each level has its own limit, so
 * that an outage doesn't hide a bug.
 */
export function createFailureLog(log: Logger, now?: () => number): (failure: Failure) => void {
  const limits = {
    debug: createLineLimit(now),
    warn: createLineLimit(now),
    error: createLineLimit(now),
  }
  return ({ requestId, method, route, error }) => {
    const level = levelOf(error)
    const omitted = limits[level]()
    if (omitted === null) return
    const line = { requestId, method, route, err: error }
    log[level](omitted > 0 ? { ...line, omitted } : line, 'a request failed')
  }
}

/** A missing index isn't an error, an unreachable dependency is for the operator to fix, and anything else is a bug. */
function levelOf({ status, code }: ApiError): Level {
  if (code === 'INDEX_NOT_READY') return 'debug'
  return status === 503 ? 'warn' : 'error'
}
