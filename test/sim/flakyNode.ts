import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import type { SeededRandom } from '../rig/seededRandom.ts'

/**
 * Faults a node's endpoint may inject into a request:
 *
 * - `dropping`: closes some connections; `dead`: closes all
 * - `slow`: delays the answer by up to 0.8 s
 * - `refusing`: answers 429 with Retry-After
 * - `backward`: answers like a node that lags some blocks behind
 * - `truncating`: breaks off in the middle of its answer
 */
export const NODE_FAULTS = [
  ...(['none', 'dropping', 'slow', 'refusing', 'backward', 'truncating', 'dead'] as const),
] as const
export type NodeFault = (typeof NODE_FAULTS)[number]

export type FlakyNode = {
  /** `http://127.0.0.1:<port>/` */
  url: string
  setFault(fault: NodeFault): void
  close(): Promise<void>
}

type Call = { id?: unknown; method: string; params?: unknown[] }
type Answer = { id?: unknown; result?: unknown }

/** One request in this many meets the fault. */
const ONE_IN = 3

/** A JSON-RPC proxy in front of a node that injects seeded faults. */
export async function startFlakyNode(target: string, random: SeededRandom): Promise<FlakyNode> {
  let fault: NodeFault = 'none'
  let lag = 0
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    const met = fault === 'dead' || random.oneIn(ONE_IN) ? fault : 'none'
    await respond({ target, body, response, fault: met, lag, random }).catch(() =>
      response.destroy(),
    )
  })
  // Never time out idle connections: one closing just as it is reused would be an unrequested fault.
  server.keepAliveTimeout = 0
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    setFault(next) {
      fault = next
      lag = random.whole(1, 20)
    },
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

type Exchange = {
  target: string
  body: string
  response: ServerResponse
  fault: NodeFault
  lag: number
  random: SeededRandom
}

async function respond(exchange: Exchange): Promise<void> {
  const { target, body, response, fault, lag, random } = exchange
  if (fault === 'dropping' || fault === 'dead') return void response.destroy()
  if (fault === 'refusing') {
    response.writeHead(429, { 'retry-after': String(random.whole(0, 1)) }).end('slow down')
    return
  }
  if (fault === 'slow') await pause(random.whole(50, 800))
  const document = JSON.parse(body) as Call | Call[]
  const answer = fault === 'backward' ? await lagging(target, document, lag) : null
  const text = JSON.stringify(answer ?? disguise(document, await ask(target, document)))
  response.writeHead(200, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(text),
  })
  if (fault !== 'truncating') return void response.end(text)
  response.write(text.slice(0, text.length / 2), () => response.destroy())
}

async function ask(target: string, document: unknown): Promise<Answer | Answer[]> {
  const response = await fetch(target, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(document),
  })
  return response.json() as Promise<Answer | Answer[]>
}

/** Hides the node's client version: the indexer treats the history of a development node differently. */
function disguise(document: Call | Call[], answers: Answer | Answer[]): Answer | Answer[] {
  const calls = Array.isArray(document) ? document : [document]
  const named = new Set(
    calls.filter(({ method }) => method === 'web3_clientVersion').map(({ id }) => id),
  )
  const one = (answer: Answer) => (named.has(answer.id) ? { ...answer, result: 'sim/1' } : answer)
  return Array.isArray(answers) ? answers.map(one) : one(answers)
}

/** Answers like a node that has not seen the latest `lag` blocks. */
async function lagging(
  target: string,
  document: Call | Call[],
  lag: number,
): Promise<Answer | Answer[] | null> {
  const calls = Array.isArray(document) ? document : [document]
  const head = await ask(target, { jsonrpc: '2.0', id: 1, method: 'eth_blockNumber', params: [] })
  const seen = `0x${Math.max(Number((head as Answer).result) - lag, 0).toString(16)}`
  const reported = calls.map((call) => {
    if (call.method !== 'eth_getBlockByNumber' || call.params?.[0] !== 'latest') return call
    return { ...call, params: [seen, call.params[1]] }
  })
  const answers = await Promise.all(
    reported.map(async (call) => {
      if (call.method === 'eth_blockNumber') return { jsonrpc: '2.0', id: call.id, result: seen }
      const answer = (await ask(target, call)) as Answer
      return isBlockAbove(answer.result, Number(seen)) ? { ...answer, result: null } : answer
    }),
  )
  return disguise(document, Array.isArray(document) ? answers : answers[0]!)
}

function isBlockAbove(result: unknown, head: number): boolean {
  if (typeof result !== 'object' || result === null) return false
  const { number, hash } = result as { number?: string; hash?: string }
  return number !== undefined && hash !== undefined && Number(number) > head
}
