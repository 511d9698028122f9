import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { announceHeads } from './announceHeads.ts'
import { answerRequest, type ProxyState, type RawHead } from './answerRequest.ts'
import { crossCheckBlock } from './crossCheckBlock.ts'
import { RpcError } from './rpcError.ts'
import type { RpcPool } from './rpcPool.ts'
import type { ObserveRpcPool } from './rpcPoolEvent.ts'
import { createSeenHeads } from './seenHeads.ts'

export type RpcProxy = {
  /**
   * `count` different URLs of this proxy. Ponder allows itself 20 requests a second for each URL it is
   * given; the real limits are the pool's, per provider.
   */
  urls(count: number): string[]
  /** Where it announces heads; undefined if no `wsUrl` was given. */
  wsUrl: string | undefined
  close(): Promise<void>
}

const largestRequest = 1_048_576

/**
 * Serves one chain's RPC pool on a loopback port, for programs that only take URLs.
 *
 * Beyond failover it keeps the head steady: it passes on no old head from a lagging provider, and no reorg that
 * most providers contradict. While no provider answers, it repeats the last head. Every `crossCheckSeconds` it
 * compares the providers' hashes of a final block.
 */
export async function serveRpcProxy({
  pool,
  finality,
  wsUrl,
  observe = () => {},
  crossCheckSeconds = 30,
  patienceMs = 8_000,
  stillMs = 20_000,
}: {
  pool: RpcPool
  /** Blocks behind the head from which on a block is final. */
  finality: number | Promise<number>
  /** A provider's socket that announces new blocks. */
  wsUrl?: string | undefined
  observe?: ObserveRpcPool
  crossCheckSeconds?: number
  /** How long to look for a provider before answering without one; below Ponder's own 10 s. */
  patienceMs?: number
  /** How long the head may stand still before the other providers are asked for theirs. */
  stillMs?: number
}): Promise<RpcProxy> {
  const state: ProxyState = {
    pool,
    observe,
    patienceMs,
    memory: createSeenHeads(),
    heads: new Map(),
    still: null,
    stillMs,
    down: false,
  }
  const server = createServer((request, response) => {
    respond(state, request, response).catch(() => response.destroy())
  })
  server.keepAliveTimeout = 60_000
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(0, '127.0.0.1', resolve)
  })
  const { port } = server.address() as AddressInfo
  const timer = setInterval(() => {
    checkProviders(state, finality).catch(() => {})
  }, crossCheckSeconds * 1000)
  timer.unref()
  const newest = { method: 'eth_getBlockByNumber', params: ['latest', false] }
  const readHead = () => answerRequest(state, newest) as Promise<RawHead>
  const announcer = wsUrl === undefined ? undefined : announceHeads(server, { wsUrl, readHead })
  return {
    wsUrl: announcer && `ws://127.0.0.1:${port}`,
    urls: (count) => Array.from({ length: count }, (_, at) => `http://127.0.0.1:${port}/${at}`),
    async close() {
      clearInterval(timer)
      announcer?.close()
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

async function checkProviders(
  { pool, memory }: ProxyState,
  finality: number | Promise<number>,
): Promise<void> {
  if (pool.providers.length < 2) return
  const head =
    memory.newest()?.number ??
    Number(await pool.request('eth_blockNumber', [], { patienceMs: 5_000 }))
  await crossCheckBlock(pool, Math.max(head - (await finality), 0))
}

async function respond(
  state: ProxyState,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const document = parse(await readBody(request))
  const send = (status: number, answer: unknown) =>
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(answer))
  if (document === undefined) {
    const refusal = new RpcError('refused', 'not a JSON-RPC request', { code: -32700 })
    send(400, failure(null, refusal))
  } else if (Array.isArray(document)) {
    const answers = await Promise.all(document.map((one) => answerOne(state, one)))
    send(
      200,
      answers.map(({ answer }) => answer),
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
    const result = await answerRequest(state, request)
    return { status: 200, answer: { jsonrpc: '2.0', id, result } }
  } catch (error) {
    const rpcError = error instanceof RpcError ? error : new RpcError('unreachable', String(error))
    // 503 makes Ponder try again; an error inside a 200 is the chain's own answer, e.g. a revert.
    const status =
      rpcError.failure === 'unreachable' || rpcError.failure === 'rate-limited' ? 503 : 200
    return { status, answer: failure(id, rpcError) }
  }
}

function failure(id: unknown, { code = -32000, message, data }: RpcError) {
  return { jsonrpc: '2.0', id, error: { code, message, ...(data !== undefined && { data }) } }
}

async function readBody(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of request) {
    size += (chunk as Buffer).length
    if (size > largestRequest) return undefined
    chunks.push(chunk as Buffer)
  }
  return Buffer.concat(chunks).toString('utf8')
}

function parse(body = ''): Document | Document[] | undefined {
  try {
    const document: unknown = JSON.parse(body)
    return typeof document === 'object' && document !== null ? (document as Document) : undefined
  } catch {
    return undefined
  }
}
