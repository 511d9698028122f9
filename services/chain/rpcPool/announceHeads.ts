import type { Server } from 'node:http'
import { type RawData, WebSocket, WebSocketServer } from 'ws'
import { createTokenBuckets } from '../../process/tokenBuckets.ts'

/** A block as the node returned it; subscribers receive all of it. */
type Head = { hash: string }

type AnnounceOptions = {
  /** The only path at which it serves. */
  path: string
  /** A provider's socket that announces new blocks. */
  wsUrl: string
  /** The newest block on which the pool agrees. */
  readHead: () => Promise<Head>
  /** Milliseconds between polls while the provider's socket is silent. */
  pollMs?: number | undefined
}

/** Limits the polls that the provider's socket can trigger: above any block rate, below providers' rate limits. */
const POLL_LIMIT = { perSecond: 5, burst: 10, capacity: 1 }
/** Milliseconds before each retry when an announced head isn't available from the pool yet. */
const RETRY_MS = [20, 40, 80, 160]
/** Milliseconds before the provider's socket is reopened. */
const REOPEN_MS = { first: 250, longest: 30_000 }
/** In bytes; a subscription request or an announced header is much shorter. */
const MAX_MESSAGE = 1_048_576

/**
 * Serves `eth_subscribe` for `newHeads` on the proxy's port.
 *
 * The provider's socket only triggers a poll: what subscribers receive is the pool's own head, after the same vote as
 * over HTTP. So a false head from the socket has no effect. While the socket is silent, the pool is polled.
 */
export function announceHeads(
  server: Server,
  { path, wsUrl, readHead, pollMs = 500 }: AnnounceOptions,
): { close(): void } {
  const sockets = new WebSocketServer({ server, path, maxPayload: MAX_MESSAGE })
  const subscribers = new Set<WebSocket>()
  const limiter = createTokenBuckets(POLL_LIMIT)
  /** The hash last announced by the provider's socket, and how often the pool was asked for it. */
  let announced = { hash: '', polls: 0 }
  let timer: NodeJS.Timeout | undefined
  let isPolling = false
  let isClosed = false

  sockets.on('connection', (socket) => {
    socket.on('error', () => socket.terminate())
    socket.on('close', () => subscribers.delete(socket))
    socket.on('message', (data) => {
      const { id = null, method } = parse(data)
      const isSubscription = method === 'eth_subscribe'
      const answer = isSubscription ? { result: SUBSCRIPTION } : { error: UNKNOWN_METHOD }
      socket.send(JSON.stringify({ jsonrpc: '2.0', id, ...answer }))
      if (!isSubscription) return
      subscribers.add(socket)
      poll()
    })
  })

  /** One poll at a time. The next follows after the interval, or sooner if the announced head is still missing. */
  const poll = async () => {
    if (isPolling || isClosed) return
    isPolling = true
    clearTimeout(timer)
    // Without subscribers there is nothing to announce. A failed poll is retried by the next one.
    const head = subscribers.size > 0 ? await readHead().catch(() => null) : null
    // An unchanged head is announced too: after a reorg, Ponder accepts a head only when it sees it again.
    if (head) for (const socket of subscribers) announce(socket, head)
    isPolling = false
    if (isClosed) return
    const isMissing = head !== null && announced.hash !== '' && announced.hash !== head.hash
    timer = setTimeout(poll, (isMissing ? RETRY_MS[announced.polls++] : undefined) ?? pollMs)
  }
  const upstream = openUpstream(wsUrl, (hash) => {
    if (hash === announced.hash || !limiter.take('').allowed) return
    announced = { hash, polls: 0 }
    poll()
  })
  timer = setTimeout(poll, pollMs)
  return {
    close() {
      isClosed = true
      clearTimeout(timer)
      upstream.close()
      for (const socket of sockets.clients) socket.terminate()
      sockets.close()
    },
  }
}

const SUBSCRIPTION = '0x1'
const UNKNOWN_METHOD = { code: -32601, message: 'only eth_subscribe is supported' }

function announce(socket: WebSocket, result: Head): void {
  const params = { subscription: SUBSCRIPTION, result }
  socket.send(JSON.stringify({ jsonrpc: '2.0', method: 'eth_subscription', params }))
}

/** Keeps a subscription open on the provider's socket and reports the hash of each announced head. */
function openUpstream(url: string, onHash: (hash: string) => void): { close(): void } {
  let socket: WebSocket
  let timer: NodeJS.Timeout | undefined
  let delay = REOPEN_MS.first
  const open = () => {
    socket = new WebSocket(url, { maxPayload: MAX_MESSAGE, handshakeTimeout: 10_000 })
    socket.on('open', () => socket.send(SUBSCRIBE))
    socket.on('message', (data) => {
      const hash = (parse(data).params?.result as { hash?: unknown } | undefined)?.hash
      if (typeof hash !== 'string') return
      delay = REOPEN_MS.first
      onHash(hash)
    })
    // `close` follows and reopens it.
    socket.on('error', () => {})
    socket.on('close', () => {
      timer = setTimeout(open, delay)
      delay = Math.min(delay * 2, REOPEN_MS.longest)
    })
  }
  open()
  return {
    close() {
      socket.removeAllListeners('close')
      socket.terminate()
      clearTimeout(timer)
    },
  }
}

const SUBSCRIBE = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'eth_subscribe',
  params: ['newHeads'],
})

type Message = { id?: unknown; method?: unknown; params?: { result?: unknown } }

function parse(data: RawData): Message {
  try {
    return Object(JSON.parse(String(data)))
  } catch {
    return {}
  }
}
