import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { getRequestListener } from '@hono/node-server'
import type { Answered } from './accessLog.ts'
import { BadRequestError } from './apiError.ts'
import { errorBody, errorResponse } from './errorResponse.ts'
import type { FastPath } from './fastPath.ts'
import type { Trusts } from './limits/clientAddress.ts'
import { cutSlowReaders, type Pace } from './limits/cutSlowReaders.ts'
import { type ConnectionLimits, limitConnections } from './limits/limitConnections.ts'
import { requestIdFrom } from './requestId.ts'

export type Listening = {
  host: string
  port: number
  /** `http://host:port`, without a slash at the end. */
  url: string
  stop(): Promise<void>
}

type Fetch = (request: Request, env: object) => Response | Promise<Response>

/** Streams that are still open when the server stops get this long to end. */
const PATIENCE_MS = 2_000

/** Connections without progress for so long are cut, at most 20 s late. */
const STALLED_MS = 30_000

type ListenOptions = {
  stalledMs?: number
  /** How fast answers must be read. */
  pace?: Pace
  /** Proxies, whose connections aren't counted. Default none. */
  trusts?: Trusts
  connections?: Partial<ConnectionLimits>
  /** Called with requests that Node's parser refuses: no handler sees them. */
  onMalformed?: (answered: Answered) => void
  /** May answer a request before the handler sees it. */
  fastPath?: FastPath
  /** Takes connections that switch to another protocol. */
  upgrade?: Upgrade
}

/** Handles requests with `Upgrade`; those that it declines are answered like any other. */
export type Upgrade = {
  wants(request: IncomingMessage): boolean
  take(request: IncomingMessage, socket: Duplex, head: Buffer): void
}

/**
 * Serves a fetch handler over HTTP/1.1. Requests that Node's parser refuses are answered in our
 * shape too; a client that doesn't read its answer is cut off after `stalledMs`, so that answers
 * don't pile up.
 */
export async function listen(
  fetch: Fetch,
  host: string,
  port: number,
  {
    stalledMs = STALLED_MS,
    pace,
    fastPath = leavesAll,
    trusts = () => false,
    connections,
    onMalformed = () => {},
    upgrade = WANTS_NONE,
  }: ListenOptions = {},
): Promise<Listening> {
  const refuse = () => {
    const requestId = requestIdFrom(undefined)
    const { status, code } = malformed()
    onMalformed({ ...UNREAD, requestId, status, code })
    return requestId
  }
  const handle = getRequestListener(fetch as never, {
    errorHandler: () => errorResponse(malformed(), refuse()),
  })
  const server = createServer(
    {
      maxHeaderSize: 16 * 1024,
      requestTimeout: 30_000,
      headersTimeout: 10_000,
      keepAliveTimeout: 65_000,
      // Refused too, by the listener and in our shape.
      requireHostHeader: false,
      shouldUpgradeCallback: upgrade.wants,
    },
    (request, response) => fastPath(request, response, () => void handle(request, response)),
  )
  server.timeout = stalledMs
  cutSlowReaders(server, pace)
  limitConnections(server, trusts, connections)
  server.on('upgrade', upgrade.take)
  server.on('clientError', (_error, socket) => answerMalformed(socket as Socket, refuse))
  server.on('checkExpectation', (_request, response: ServerResponse) => {
    response.writeHead(400, { 'content-type': 'application/json', connection: 'close' })
    response.end(errorBody(malformed(), refuse()))
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, resolve)
  })
  const bound = (server.address() as AddressInfo).port
  const url = `http://${host.includes(':') ? `[${host}]` : host}:${bound}`
  return { host, port: bound, url, stop: () => close(server) }
}

/** What is known of an unreadable request. */
const UNREAD = { route: 'unread', method: 'unread', milliseconds: 0 }

const WANTS_NONE: Upgrade = { wants: () => false, take: (_request, socket) => socket.destroy() }

const leavesAll: FastPath = (_request, _response, leaveToApp) => leaveToApp()

function malformed(): BadRequestError {
  return new BadRequestError('the request is not valid HTTP/1.1')
}

/** Too large headers, broken framing, unknown methods, a client that never finishes its request. */
function answerMalformed(socket: Socket, refuse: () => string): void {
  if (socket.destroyed || !socket.writable) return
  const body = errorBody(malformed(), refuse())
  socket.end(
    `HTTP/1.1 400 Bad Request\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`,
  )
}

async function close(server: Server): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()))
  server.closeIdleConnections()
  const timer = setTimeout(() => server.closeAllConnections(), PATIENCE_MS)
  await closed
  clearTimeout(timer)
}
