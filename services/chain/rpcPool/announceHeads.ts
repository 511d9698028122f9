import type { Server } from 'node:http'
import { type RawData, WebSocket, WebSocketServer } from 'ws'
import { createTokenBuckets } from '../../process/tokenBucket.ts'

/** What subscribers get of a block: all of it, as a node answers it. */
type Head = { hash: string }

type AnnounceOptions = {
  /** The provider's socket, which announces new blocks. */
  wsUrl: string
  /** The newest block on which the pool agrees. */
  readHead: () => Promise<Head>
  /** Milliseconds between looks at the head while the provider's socket is silent. */
  pollMs?: number
}

/** Looks that the provider's socket can cause: more than a chain has blocks, too few to use up a provider's rate. */
const LOOKS = { perSecond: 5, burst: 10, capacity: 1 }
/** Milliseconds after which to look again for a head that was announced and that the pool doesn't have yet. */
const AGAIN_MS = [20, 40, 80, 160]
/** Milliseconds until the provider's socket is opened again. */
const REOPEN_MS = { first: 250, longest: 30_000 }
/** A request to subscribe is much shorter, and an announced header too. */
const LONGEST_MESSAGE = 1_048_576

/**
 * Serves `eth_subscribe` for `newHeads` at the proxy's own port.
 *
 * The provider's socket only says when to look: what is announced is the head that the pool answers, after the same
 * vote as over HTTP. A false head there moves nothing, and while it is silent the pool is polled.
 */
export function announceHeads(
  server: Server,
  { wsUrl, readHead, pollMs = 500 }: AnnounceOptions,
): { close(): void } {
  const sockets = new WebSocketServer({ server, maxPayload: LONGEST_MESSAGE })
  const subscribers = new Set<WebSocket>()
  const looks = createTokenBuckets(LOOKS)
  /** The hash that the provider's socket told last, and how often it was looked for. */
  let hint = { hash: '', looked: 0 }
  let timer: NodeJS.Timeout | undefined
  let looking = false
  let closed = false

  sockets.on('connection', (socket) => {
    socket.on('error', () => socket.terminate())
    socket.on('close', () => subscribers.delete(socket))
    socket.on('message', (data) => {
      const { id = null, method } = parse(data)
      const isKnown = method === 'eth_subscribe'
      const answer = isKnown ? { result: SUBSCRIPTION } : { error: UNKNOWN_METHOD }
      socket.send(JSON.stringify({ jsonrpc: '2.0', id, ...answer }))
      if (!isKnown) return
      subscribers.add(socket)
      look()
    })
  })

  /** One at a time; the next is due after the polling interval, or sooner if the head that was told is missing. */
  const look = async () => {
    if (looking || closed) return
    looking = true
    clearTimeout(timer)
    // While nobody listens, no provider is bothered. If none answers, the next look may find one.
    const head = subscribers.size > 0 ? await readHead().catch(() => null) : null
    // An old one too: after a reorg, Ponder takes a head only when it sees it again.
    if (head) for (const socket of subscribers) announce(socket, head)
    looking = false
    if (closed) return
    const isMissing = head !== null && hint.hash !== '' && hint.hash !== head.hash
    timer = setTimeout(look, (isMissing ? AGAIN_MS[hint.looked++] : undefined) ?? pollMs)
  }
  const upstream = openUpstream(wsUrl, (hash) => {
    if (hash === hint.hash || !looks.take('').allowed) return
    hint = { hash, looked: 0 }
    look()
  })
  timer = setTimeout(look, pollMs)
  return {
    close() {
      closed = true
      clearTimeout(timer)
      upstream.close()
      for (const socket of sockets.clients) socket.terminate()
      sockets.close()
    },
  }
}

const SUBSCRIPTION = '0x1'
const UNKNOWN_METHOD = { code: -32601, message: 'only eth_subscribe' }

function announce(socket: WebSocket, result: Head): void {
  const params = { subscription: SUBSCRIPTION, result }
  socket.send(JSON.stringify({ jsonrpc: '2.0', method: 'eth_subscription', params }))
}

/** Keeps a subscription open at the provider's socket, and passes on the hash of each head it tells. */
function openUpstream(url: string, onHash: (hash: string) => void): { close(): void } {
  let socket: WebSocket
  let timer: NodeJS.Timeout | undefined
  let delay = REOPEN_MS.first
  const open = () => {
    socket = new WebSocket(url, { maxPayload: LONGEST_MESSAGE, handshakeTimeout: 10_000 })
    socket.on('open', () => socket.send(SUBSCRIBE))
    socket.on('message', (data) => {
      const hash = (parse(data).params?.result as { hash?: unknown } | undefined)?.hash
      if (typeof hash !== 'string') return
      delay = REOPEN_MS.first
      onHash(hash)
    })
    // A close follows.
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
  ...{ jsonrpc: '2.0', id: 1 },
  ...{ method: 'eth_subscribe', params: ['newHeads'] },
})

type Message = { id?: unknown; method?: unknown; params?: { result?: unknown } }

function parse(data: RawData): Message {
  try {
    return Object(JSON.parse(String(data)))
  } catch {
    return {}
  }
}
