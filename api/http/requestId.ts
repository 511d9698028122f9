import { randomUUID } from 'node:crypto'

const ACCEPTABLE = /^[\w.-]{1,64}$/

/** The client's own `X-Request-Id` if it is short and plain, so that logs can be joined; else a new one. */
export function requestIdFrom(header: string | undefined): string {
  return header !== undefined && ACCEPTABLE.test(header) ? header : randomUUID()
}
