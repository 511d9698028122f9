import { randomUUID } from 'node:crypto'

/** Long enough for a UUID or a trace id, too short for a private key that was pasted by mistake. */
const ACCEPTABLE = /^[\w.-]{1,40}$/

/** The client's `X-Request-Id` if it is short and plain, so that logs can be correlated; otherwise a new id. */
export function chooseRequestId(header: string | undefined): string {
  return header !== undefined && ACCEPTABLE.test(header) ? header : randomUUID()
}
