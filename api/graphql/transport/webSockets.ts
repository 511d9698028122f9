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
import { createSocketProtocol, type SocketContext } from './socketProtocol.ts'
import { TRANSPORT_LIMITS, type TransportLimits } from './transportLimits.ts'

/** WebSockets that speak `graphql-transport-ws`. */
type WebSockets = {
  upgrade: Upgrade
  /** Number of open sockets. */
  size(): number
  close(): Promise<void>
}

type WebSocketOptions = {
  beginOperation: BeginOperation
  /** The client that a request counts for, such as its address. */
  clientOf: (request: IncomingMessage) => string
  /** Counts a read of a client. Null if it is allowed, else seconds until the next is. */
  takeRead: (client: string, request?: IncomingMessage) => number | null
  limits?: TransportLimits
}

/** Milliseconds that clients have to confirm that a socket closes. */
const CLOSING_MS = 500

/**
 * Pages of any origin may connect, and `connection_init` is ignored: all data is public, and no cookies are read.
 */
export function createWebSockets(options: WebSocketOptions): WebSockets {
  const { beginOperation, clientOf, takeRead, limits = TRANSPORT_LIMITS } = options
  const counts = createOpenStreamLimiter(limits)
  const messages = createRateLimit('messages', limits.messages)
  const protocol = makeServer(createSocketProtocol({ beginOperation, takeRead, limits }))
  const server = new WebSocketServer({
    noServer: true,
    handleProtocols,
    maxPayload: LIMITS.bodyBytes,
    // A small compressed message could expand to a large one.
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
      const mayReceive = () => messages.take(client).allowed
      serve(webSocket, protocol, { client, mayReceive, limits })
    })
  }
  return {
    upgrade: { accepts: isGraphqlUpgrade, handle },
    size: counts.size,
    close: async () => {
      clearInterval(heartbeat)
      await Promise.all([...server.clients].map(closeSocket))
      server.close()
    },
  }
}

function isGraphqlUpgrade({ method, url = '', headers }: IncomingMessage): boolean {
  const isWebSocket = headers.upgrade?.toLowerCase() === 'websocket'
  return method === 'GET' && isWebSocket && versionlessPath(`http://_${url}`) === '/graphql'
}

function refuse(socket: Duplex, seconds: number): void {
  const head = ['HTTP/1.1 429 Too Many Requests', `retry-after: ${seconds}`, 'content-length: 0']
  socket.end(`${head.join('\r\n')}\r\nconnection: close\r\n\r\n`, () => socket.destroy())
}

type ServeOptions = {
  client: string
  /** Counts a message against the client's rate limit. */
  mayReceive: () => boolean
  limits: TransportLimits
}

function serve(
  webSocket: WebSocket,
  protocol: Server<SocketContext>,
  { client, mayReceive, limits: { idleMs, unreadBytes } }: ServeOptions,
): void {
  alive.add(webSocket)
  webSocket.on('pong', () => alive.add(webSocket))
  // After an error, such as an invalid frame, the socket closes by itself.
  webSocket.on('error', () => {})
  let timer: NodeJS.Timeout | undefined
  const context: SocketContext = {
    client,
    onBusy: (isBusy) => {
      clearTimeout(timer)
      if (!isBusy) timer = setTimeout(() => webSocket.close(1001, 'idle'), idleMs).unref()
    },
  }
  context.onBusy(false)
  const closed = protocol.opened(
    {
      protocol: webSocket.protocol,
      close: (code, reason) => webSocket.close(code, reason),
      // The protocol requests the next answer once this one is sent, so a slow reader's updates wait in its queue.
      send: (text) =>
        new Promise((resolve, reject) => {
          // Pongs and completions don't wait in any queue, so a reader that ignores them is dropped here.
          if (webSocket.bufferedAmount > unreadBytes) webSocket.terminate()
          webSocket.send(text, (error) => (error ? reject(error) : resolve()))
        }),
      onMessage: (handle) =>
        webSocket.on('message', (data) => {
          if (!mayReceive()) return webSocket.close(1013, 'too many messages: try again later')
          handle(String(data)).catch(() => webSocket.close(CloseCode.BadRequest, 'invalid message'))
        }),
    },
    context,
  )
  webSocket.once('close', (code, reason) => {
    clearTimeout(timer)
    void closed(code, String(reason))
  })
}

/** Sockets that answered since the last ping. */
const alive = new WeakSet<WebSocket>()

function checkAlive({ clients }: WebSocketServer): void {
  for (const webSocket of clients) {
    if (!alive.delete(webSocket)) webSocket.terminate()
    else if (webSocket.readyState === webSocket.OPEN) webSocket.ping()
  }
}

function closeSocket(webSocket: WebSocket): Promise<void> {
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
