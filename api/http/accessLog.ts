import type { Logger } from 'pino'

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

/** Refusals logged per second, at most: a refused client may keep sending requests. */
const MAX_LINES_PER_SECOND = 100

/**
 * Logs each response, so that an operator can find the request id that a client reports: failures at level
 * `info`, all others at `debug`. Client addresses are left out for privacy. In a flood of refusals most lines
 * are dropped; the next line written says how many.
 */
export function createAccessLog(
  log: Logger,
  now: () => number = () => performance.now(),
): (answered: Answered) => void {
  let second = 0
  let written = 0
  let omitted = 0
  return ({ requestId, route, method, status, milliseconds, code }) => {
    const line = { requestId, method, route, status, code, ms: Math.round(milliseconds * 10) / 10 }
    // A load balancer probes every second until the index is ready.
    if (status < 400 || code === 'INDEX_NOT_READY') return log.debug(line, 'answered')
    const current = Math.floor(now() / 1_000)
    if (current !== second) written = 0
    second = current
    written += 1
    if (written > MAX_LINES_PER_SECOND) {
      omitted += 1
      return
    }
    log.info(omitted > 0 ? { ...line, omitted } : line, 'refused')
    omitted = 0
  }
}
