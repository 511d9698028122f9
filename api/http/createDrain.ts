import type { IncomingMessage, ServerResponse } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { UnavailableError } from './apiError.ts'
import { errorBody, errorHeaders } from './errorResponse.ts'
import { chooseRequestId } from './requestId.ts'

type Answer = (request: IncomingMessage, response: ServerResponse) => void

/** The path at which proxies ask whether to send requests here. */
const READINESS = /^(\/v1)?\/ready(\?|$)/

/**
 * A server's listener that can be drained before the server closes, so that no request meets a closed port or a closing
 * connection.
 *
 * @param drainMs how long proxies may need to notice
 */
export function createDrain(answer: Answer, drainMs: number) {
  let isDraining = false
  return {
    /** The listener. While it drains, each answer is its connection's last, and `/ready` says 503. */
    answer(request: IncomingMessage, response: ServerResponse): void {
      if (isDraining) response.setHeader('connection', 'close')
      if (isDraining && READINESS.test(request.url ?? '')) refuse(response)
      else answer(request, response)
    },
    /** Resolves after `drainMs`. */
    async drain(): Promise<void> {
      isDraining = true
      await pause(drainMs)
    },
  }
}

function refuse(response: ServerResponse): void {
  const error = new UnavailableError('this server is stopping: ask another', 'STOPPING', 5)
  response.writeHead(error.status, errorHeaders(error))
  response.end(errorBody(error, chooseRequestId(undefined)))
}
