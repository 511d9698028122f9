import { randomBytes } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { readBodyWithin } from '../readBodyWithin.ts'
import { announceHeads } from './announceHeads.ts'
import { answerProxyRequest, type ProxyState, type RawHead } from './answerProxyRequest.ts'
import { hasVerifiableHeaders } from './hasVerifiableHeaders.ts'
import { RpcError } from './rpcError.ts'
import type { RpcPool } from './rpcPool.ts'
import type { ObserveRpcPool } from './rpcPoolEvent.ts'
import { createSeenHeads } from './seenHeads.ts'

export type RpcProxy = {
  /**
   * Returns `count` different URLs of this proxy. Ponder throttles itself to 20 requests a second per URL; the pool
   * applies the real limits, per provider.
   */
  urls(count: number): string[]
  /** Socket that announces heads; undefined if no `wsUrl` was given. */
  wsUrl: string | undefined
  close(): Promise<void>
}

const MAX_REQUEST_BYTES = 1_048_576
/**
 * Blocks below the head that are compared: far less than is final, and seldom replaced. A provider that is on the other
 * side of a deeper reorg is readmitted by the next check.
 */
const CROSS_CHECK_DEPTH = 5

/**
 * Serves one chain's RPC pool on a loopback port, for programs that accept only URLs. The URLs contain a secret: web
 * pages and other users of the machine can reach the port too, and could use up the providers' limits.
 *
 * Besides failover it keeps the head steady: it never serves an old head of a lagging provider, nor a reorg that most
 * providers contradict. While no provider answers, it repeats the last head. A block's logs are compared between two
 * providers. Every `crossCheckSeconds` it compares the providers' hashes of a recent block, so that it soon leaves one that
 * builds its own blocks on top of the chain.
 */
export async function serveRpcProxy({
  pool,
  contracts = [],
  wsUrl,
  pollMs,
  observe = () => {},
  crossCheckSeconds = 5,
  totalTimeoutMs = 8_000,
  stallMs = 20_000,
}: {
  pool: RpcPool
  /** The contracts whose logs a second provider must confirm. */
  contracts?: readonly string[]
  /** A provider's socket that announces new blocks. */
  wsUrl?: string | undefined
  /** See `announceHeads`. */
  pollMs?: number | undefined
  observe?: ObserveRpcPool
  crossCheckSeconds?: number
  /** How long to try providers before failing a request; below Ponder's own timeout of 10 s. */
  totalTimeoutMs?: number
  /** How long the head may stay unchanged before the other providers are asked for theirs. */
  stallMs?: number
}): Promise<RpcProxy> {
  const state: ProxyState = {
    pool,
    contracts: new Set(contracts.map((address) => address.toLowerCase())),
    observe,
    totalTimeoutMs,
    seenHeads: createSeenHeads(),
    servedHeads: new Map(),
    headRequests: new Map(),
    currentHead: null,
    stallMs,
    isDown: false,
  }
  const base = `/${randomBytes(16).toString('hex')}`
  const server = createServer((request, response) => {
    if (!request.url?.startsWith(`${base}/`)) return void response.writeHead(404).end()
    respond(state, request, response).catch(() => response.destroy())
  })
  server.keepAliveTimeout = 60_000
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(0, '127.0.0.1', resolve)
  })
  const { port } = server.address() as AddressInfo
  const timer = setInterval(() => {
    crossCheckProviders(state).catch(() => {})
  }, crossCheckSeconds * 1000)
  timer.unref()
  const newest = { method: 'eth_getBlockByNumber', params: ['latest', false] }
  const readHead = () => answerProxyRequest(state, newest) as Promise<RawHead>
  const announcer =
    wsUrl === undefined ? undefined : announceHeads(server, { path: base, wsUrl, readHead, pollMs })
  return {
    wsUrl: announcer && `ws://127.0.0.1:${port}${base}`,
    urls: (count) =>
      Array.from({ length: count }, (_, at) => `http://127.0.0.1:${port}${base}/${at}`),
    async close() {
      clearInterval(timer)
      announcer?.close()
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

async function crossCheckProviders({ pool, seenHeads }: ProxyState): Promise<void> {
  if (pool.providers.length < 2) return
  const head =
    seenHeads.newest()?.number ??
    Number(await pool.request('eth_blockNumber', [], { totalTimeoutMs: 5_000 }))
  await hasVerifiableHeaders(pool, Math.max(head - CROSS_CHECK_DEPTH, 0), { totalTimeoutMs: 0 })
}

async function respond(
  state: ProxyState,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const body = await readBodyWithin(request, MAX_REQUEST_BYTES)
  const document = parse(body?.toString())
  const send = (status: number, answer: unknown) =>
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(answer))
  if (document === undefined) {
    const error = new RpcError('refused', 'not a JSON-RPC request', { code: -32700 })
    send(400, errorDocument(null, error))
  } else if (Array.isArray(document)) {
    const responses = await Promise.all(document.map((request) => answerOne(state, request)))
    send(
      200,
      responses.map(({ answer }) => answer),
    )
  } else {
    const { status, answer } = await answerOne(state, document)
    send(status, answer)
  }
}

type Document = { id?: unknown; method?: unknown; params?: unknown }

async function answerOne(
  state: ProxyState,
  { id = null, method, params }: Document,
): Promise<{ status: number; answer: unknown }> {
  const request = { method: String(method), params: Array.isArray(params) ? params : [] }
  try {
    const result = await answerProxyRequest(state, request)
    return { status: 200, answer: { jsonrpc: '2.0', id, result } }
  } catch (error) {
    const rpcError = error instanceof RpcError ? error : new RpcError('unreachable', String(error))
    // 503 makes Ponder retry. An error inside a 200 is the chain's own answer, e.g. a revert.
    const status =
      rpcError.failure === 'unreachable' || rpcError.failure === 'rate-limited' ? 503 : 200
    return { status, answer: errorDocument(id, rpcError) }
  }
}

function errorDocument(id: unknown, { code = -32000, message, data }: RpcError) {
  // A revert's data is text; of anything else, any depth.
  return { jsonrpc: '2.0', id, error: { code, message, ...(typeof data === 'string' && { data }) } }
}

function parse(body = ''): Document | Document[] | undefined {
  try {
    const document: unknown = JSON.parse(body)
    return typeof document === 'object' && document !== null ? (document as Document) : undefined
  } catch {
    return undefined
  }
}
