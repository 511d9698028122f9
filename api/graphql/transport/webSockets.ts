import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { CloseCode, handleProtocols, makeServer, type Server } from 'graphql-ws'
import { type WebSocket, WebSocketServer } from 'ws'
import { versionlessPath } from '../../http/baseApp.ts'
import { createOpenStreamLimiter } from '../../http/limits/openStreamLimiter.ts'
import { createRateLimit } from '../../http/limits/rateLimit.ts'
import type { Upgrade } from '../../http/listen.ts'
import { LIMITS } from '../limits/limits.ts'
import type { BeginOperation } from './beginOperation.ts'
import { type SocketOwner, socketProtocol } from './socketProtocol.ts'
import { TRANSPORT_LIMITS, type TransportLimits } from './transportLimits.ts'

/** WebSockets that speak `graphql-transport-ws`. */
type WebSockets = {
  upgrade: Upgrade
  /** Sockets that are open. */
  size(): number
  /** Ends all of them. */
  close(): Promise<void>
}

type WebSocketOptions = {
  beginOperation: BeginOperation
  /** Whom a socket counts for, such as an address. */
  clientOf: (request: IncomingMessage) => string
  /** Takes one read of a client's: null, or seconds until it may come back. */
  takeRead: (client: string, request?: IncomingMessage) => number | null
  limits?: TransportLimits
}

/** Milliseconds that clients have to answer that a socket is closing. */
const CLOSING_MS = 500

/**
 * Everything here is public and cookies aren't read, so pages of any origin may connect, and
 * `connection_init` is ignored.
 */
export function createWebSockets(options: WebSocketOptions): WebSockets {
  const { beginOperation, clientOf, takeRead, limits = TRANSPORT_LIMITS } = options
  const counts = createOpenStreamLimiter(limits)
  const messages = createRateLimit('messages', limits.messages)
  const protocol = makeServer(socketProtocol({ beginOperation, takeRead, limits }))
  const server = new WebSocketServer({
    ...{ noServer: true, handleProtocols, maxPayload: LIMITS.bodyBytes },
    // A small compressed message could unpack into a large one.
    perMessageDeflate: false,
  })
  const heartbeat = setInterval(() => checkAlive(server), limits.heartbeatMs).unref()
  const handle: Upgrade['handle'] = (request, socket, head) => {
    socket.on('error', () => socket.destroy())
    const client = clientOf(request)
    const seconds = takeRead(client, request)
    if (seconds !== null) return refuse(socket, seconds)
    const leave = counts.take(client, () => socket.destroy())
    if (typeof leave === 'string') return refuse(socket, 10)
    socket.once('close', leave)
    server.handleUpgrade(request, socket, head, (webSocket) => {
      const mayTalk = () => messages.take(client).allowed
      serve(webSocket, protocol, { client, mayTalk, limits })
    })
  }
  return {
    upgrade: { accepts: (request) => isForUs(request), handle },
    size: counts.size,
    close: async () => {
      clearInterval(heartbeat)
      const closed = [...server.clients].map((one) => end(one))
      await Promise.all(closed)
      server.close()
    },
  }
}

function isForUs({ method, url = '', headers }: IncomingMessage): boolean {
  const isWebSocket = headers.upgrade?.toLowerCase() === 'websocket'
  return method === 'GET' && isWebSocket && versionlessPath(`http://_${url}`) === '/graphql'
}

function refuse(socket: Duplex, seconds: number): void {
  const head = ['HTTP/1.1 429 Too Many Requests', `retry-after: ${seconds}`, 'content-length: 0']
  socket.end(`${head.join('\r\n')}\r\nconnection: close\r\n\r\n`, () => socket.destroy())
}

type Talk = { client: string; mayTalk: () => boolean; limits: TransportLimits }

function serve(
  webSocket: WebSocket,
  protocol: Server<SocketOwner>,
  { client, mayTalk, limits: { idleMs, unreadBytes } }: Talk,
): void {
  alive.add(webSocket)
  webSocket.on('pong', () => alive.add(webSocket))
  // Too large or invalid frames close the socket by themselves.
  webSocket.on('error', () => {})
  let timer: NodeJS.Timeout | undefined
  const owner: SocketOwner = {
    client,
    onBusy: (isBusy) => {
      clearTimeout(timer)
      if (!isBusy) timer = setTimeout(() => webSocket.close(1001, 'idle'), idleMs).unref()
    },
  }
  owner.onBusy(false)
  const closed = protocol.opened(
    {
      protocol: webSocket.protocol,
      close: (code, reason) => webSocket.close(code, reason),
      // The next answer is requested once the last one is sent, so a slow reader falls behind at the
      // source.
      send: (text) =>
        new Promise((resolve, reject) => {
          // Pongs, and answers to what was ended meanwhile, fall behind nowhere else.
          if (webSocket.bufferedAmount > unreadBytes) webSocket.terminate()
          webSocket.send(text, (error) => (error ? reject(error) : resolve()))
        }),
      onMessage: (handle) =>
        webSocket.on('message', (data) => {
          if (!mayTalk()) return webSocket.close(1013, 'too many messages: come back later')
          handle(String(data)).catch(() => webSocket.close(CloseCode.BadRequest, 'invalid message'))
        }),
    },
    owner,
  )
  webSocket.once('close', (code, reason) => {
    clearTimeout(timer)
    void closed(code, String(reason))
  })
}

/** Sockets that answered since the last look. */
const alive = new WeakSet<WebSocket>()

function checkAlive({ clients }: WebSocketServer): void {
  for (const webSocket of clients) {
    if (!alive.delete(webSocket)) webSocket.terminate()
    else if (webSocket.readyState === webSocket.OPEN) webSocket.ping()
  }
}

function end(webSocket: WebSocket): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => webSocket.terminate(), CLOSING_MS)
    webSocket.once('close', () => {
      clearTimeout(timer)
      resolve()
    })
    if (webSocket.readyState === webSocket.CLOSED) resolve()
    else webSocket.close(1001, 'the server is stopping')
  })
}
