import type { Logger } from 'pino'
import { createLineLimit } from './lineLimit.ts'

/** A request and its response. */
export type Answered = {
  requestId: string
  /** The endpoint, not the path, which could contain what must not be logged. */
  route: string
  method: string
  status: number
  milliseconds: number
  /** Of a failure. */
  code?: string | undefined
}

/**
 * Logs each response, so that an operator can find the request id that a client reports: failures at level
 * `info`, all others at `debug`. Client addresses are left out for privacy. In a flood of refusals most lines
 * are dropped; the next line written says how many.
 */
export function createAccessLog(log: Logger, now?: () => number): (answered: Answered) => void {
  const limit = createLineLimit(now)
  return ({ requestId, route, method, status, milliseconds, code }) => {
    const line = { requestId, method, route, status, code, ms: Math.round(milliseconds * 10) / 10 }
    // A load balancer probes every second until the index is ready.
    if (status < 400 || code === 'INDEX_NOT_READY') return log.debug(line, 'answered')
    const omitted = limit()
    if (omitted === null) return
    log.info(omitted > 0 ? { ...line, omitted } : line, 'refused')
  }
}
