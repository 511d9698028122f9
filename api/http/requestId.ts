import { randomUUID } from 'node:crypto'

/** Long enough for a UUID or a trace's id; too short for a private key that was pasted here. */
const ACCEPTABLE = /^[\w.-]{1,40}$/

/** The client's own `X-Request-Id` if it is short and plain, so that logs can be joined; else a new one. */
export function requestIdFrom(header: string | undefined): string {
  return header !== undefined && ACCEPTABLE.test(header) ? header : randomUUID()
}
