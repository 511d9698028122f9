import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

type Answer = (request: IncomingMessage, response: ServerResponse) => void

/** Requests of one connection that may wait for the answers before theirs. Each may have a body in memory. */
const MOST_WAITING = 16

/**
 * Answers the requests of each connection one after another. Node starts on requests that a client sends without
 * waiting (pipelining) at once and keeps their answers until it is their turn, behind an event stream for ever, and
 * without counting them as unread. A connection with too many waiting requests is cut.
 */
export function answerInTurn(answer: Answer): Answer {
  const waiting = new WeakMap<Socket, number>()
  return (request, response) => {
    // A response has its socket only once the ones before it are sent.
    if (response.socket !== null) return answer(request, response)
    const { socket } = request
    const count = (waiting.get(socket) ?? 0) + 1
    if (count > MOST_WAITING) return void socket.destroy()
    waiting.set(socket, count)
    response.once('socket', () => {
      waiting.set(socket, (waiting.get(socket) ?? 1) - 1)
      // Node is still preparing the response.
      queueMicrotask(() => answer(request, response))
    })
  }
}
