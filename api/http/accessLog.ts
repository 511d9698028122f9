import type { Logger } from 'pino'

/** One request and its result. */
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

/** Lines about refusals a second, at most: a refused client may keep asking. */
const MOST_A_SECOND = 100

/**
 * Writes a line for each answer, so that the id in an answer is found in the log: failures at level `info`,
 * all others at `debug`. No addresses, to protect clients' privacy. In a flood of refusals most lines are
 * left out, and counted in the next one written.
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
    // A load balancer that waits for the first index asks every second; those requests aren't
    // logged.
    if (status < 400 || code === 'INDEX_NOT_READY') return log.debug(line, 'answered')
    const current = Math.floor(now() / 1_000)
    if (current !== second) written = 0
    second = current
    written += 1
    if (written > MOST_A_SECOND) {
      omitted += 1
      return
    }
    log.info(omitted > 0 ? { ...line, omitted } : line, 'refused')
    omitted = 0
  }
}
