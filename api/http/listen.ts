import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { getRequestListener } from '@hono/node-server'
import type { Answered } from './accessLog.ts'
import { BadRequestError } from './apiError.ts'
import { createDrain } from './createDrain.ts'
import { createErrorResponse, errorBody } from './errorResponse.ts'
import type { FastPath } from './fastPath.ts'
import { answerInTurn } from './limits/answerInTurn.ts'
import type { IsTrustedProxy } from './limits/clientAddress.ts'
import { cutSlowReaders, type Pace } from './limits/cutSlowReaders.ts'
import { type ConnectionLimits, limitConnections } from './limits/limitConnections.ts'
import { chooseRequestId } from './requestId.ts'

export type Listening = {
  host: string
  port: number
  /** `http://host:port`, without a slash at the end. */
  url: string
  /** Tells proxies that the server is about to stop, and resolves when they have noticed; until then it answers. */
  drain(): Promise<void>
  stop(): Promise<void>
}

type Fetch = (request: Request, env: object) => Response | Promise<Response>

/** How long open streams may take to end when the server stops. */
const STREAM_GRACE_MS = 2_000

/** After this long without progress a connection is cut (at most 20 s late). */
const STALLED_MS = 30_000

/** Most bytes of a request's address and headers together. */
const MAX_HEADER_BYTES = 16 * 1_024

type ListenOptions = {
  stalledMs?: number
  /** How fast clients must read. */
  pace?: Partial<Pace>
  /** Proxies' connections aren't limited. Default: there are none. */
  isTrustedProxy?: IsTrustedProxy
  connections?: Partial<ConnectionLimits>
  /** Milliseconds that proxies may need to notice that the server stops. Default 0. */
  drainMs?: number
  /** Called for requests that Node's parser refuses, which no handler sees. */
  onMalformed?: (answered: Answered) => void
  /** Gets each request before the handler. */
  fastPath?: FastPath
  /** Handles connections that switch to another protocol. */
  upgrade?: Upgrade
}

/** Handles requests with `Upgrade`. Those that it doesn't accept are answered like any other. */
export type Upgrade = {
  accepts(request: IncomingMessage): boolean
  handle(request: IncomingMessage, socket: Duplex, head: Buffer): void
}

/**
 * Serves a fetch handler over HTTP/1.1. Requests that Node's parser refuses get the API's error body too. A
 * client that doesn't read its response is cut off after `stalledMs`, so that responses don't pile up in memory.
 */
export async function listen(
  fetch: Fetch,
  host: string,
  port: number,
  {
    stalledMs = STALLED_MS,
    pace,
    fastPath = noFastPath,
    isTrustedProxy = () => false,
    connections,
    drainMs = 0,
    onMalformed = () => {},
    upgrade = NO_UPGRADES,
  }: ListenOptions = {},
): Promise<Listening> {
  const refuse = () => {
    const requestId = chooseRequestId(undefined)
    const { status, code } = malformed()
    onMalformed({ ...UNREAD, requestId, status, code })
    return requestId
  }
  const handle = getRequestListener(fetch as never, {
    errorHandler: () => createErrorResponse(malformed(), refuse()),
  })
  const { answer, drain } = createDrain(
    answerInTurn((request, response) =>
      fastPath(request, response, () => void handle(request, response)),
    ),
    drainMs,
  )
  const server = createServer(
    {
      maxHeaderSize: MAX_HEADER_BYTES,
      requestTimeout: 30_000,
      headersTimeout: 10_000,
      keepAliveTimeout: 65_000,
      // The request listener refuses these, with the API's error body.
      requireHostHeader: false,
      shouldUpgradeCallback: upgrade.accepts,
    },
    answer,
  )
  server.timeout = stalledMs
  cutSlowReaders(server, pace)
  limitConnections(server, isTrustedProxy, connections)
  server.on('upgrade', upgrade.handle)
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
  return { host, port: bound, url, drain, stop: () => close(server) }
}

/** How an unreadable request is logged. */
const UNREAD = { route: 'unread', method: 'unread', milliseconds: 0 }

const NO_UPGRADES: Upgrade = {
  accepts: () => false,
  handle: (_request, socket) => socket.destroy(),
}

const noFastPath: FastPath = (_request, _response, passToApp) => passToApp()

function malformed(): BadRequestError {
  const size = `${MAX_HEADER_BYTES / 1_024} KiB`
  return new BadRequestError(
    `the request is not valid HTTP/1.1, or its address and headers are larger than ${size}`,
  )
}

/** For headers that are too large, broken framing, unknown methods, and unfinished requests. */
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
  const timer = setTimeout(() => server.closeAllConnections(), STREAM_GRACE_MS)
  await closed
  clearTimeout(timer)
}
