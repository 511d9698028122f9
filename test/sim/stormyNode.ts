import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import type { Dice } from './dice.ts'

/**
 * What a node's endpoint does to a request, if the dice will:
 *
 * - `dropping`: closes the connection; `dead`: every time
 * - `slow`: answers late, by up to 0.8 s
 * - `refusing`: 429 with Retry-After
 * - `backward`: answers as a node that lags some blocks behind
 * - `truncating`: ends in the middle of its answer
 */
export const WEATHERS = [
  ...(['calm', 'dropping', 'slow', 'refusing', 'backward', 'truncating', 'dead'] as const),
] as const
export type Weather = (typeof WEATHERS)[number]

export type StormyNode = {
  /** `http://127.0.0.1:<port>/` */
  url: string
  setWeather(weather: Weather): void
  close(): Promise<void>
}

type Call = { id?: unknown; method: string; params?: unknown[] }
type Answer = { id?: unknown; result?: unknown }

/** Of that many requests, one meets the weather. */
const ONE_IN = 3

/** A JSON-RPC proxy in front of a node, with bad weather by seeded dice. */
export async function startStormyNode(target: string, chance: Dice): Promise<StormyNode> {
  let weather: Weather = 'calm'
  let lag = 0
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    const met = weather === 'dead' || chance.oneIn(ONE_IN) ? weather : 'calm'
    await respond({ target, body, response, weather: met, lag, chance }).catch(() =>
      response.destroy(),
    )
  })
  // An idle connection that ends just as it is used again would be a fault that no test asked for.
  server.keepAliveTimeout = 0
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    setWeather(next) {
      weather = next
      lag = chance.whole(1, 20)
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
  weather: Weather
  lag: number
  chance: Dice
}

async function respond(exchange: Exchange): Promise<void> {
  const { target, body, response, weather, lag, chance } = exchange
  if (weather === 'dropping' || weather === 'dead') return void response.destroy()
  if (weather === 'refusing') {
    response.writeHead(429, { 'retry-after': String(chance.whole(0, 1)) }).end('slow down')
    return
  }
  if (weather === 'slow') await pause(chance.whole(50, 800))
  const document = JSON.parse(body) as Call | Call[]
  const answer = weather === 'backward' ? await lagging(target, document, lag) : null
  const text = JSON.stringify(answer ?? disguise(document, await ask(target, document)))
  response.writeHead(200, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(text),
  })
  if (weather !== 'truncating') return void response.end(text)
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

/** Not a development tool by its own account: the indexer takes its history for a public one. */
function disguise(document: Call | Call[], answers: Answer | Answer[]): Answer | Answer[] {
  const calls = Array.isArray(document) ? document : [document]
  const named = new Set(
    calls.filter(({ method }) => method === 'web3_clientVersion').map(({ id }) => id),
  )
  const one = (answer: Answer) => (named.has(answer.id) ? { ...answer, result: 'sim/1' } : answer)
  return Array.isArray(answers) ? answers.map(one) : one(answers)
}

/** The answers of a node that has not seen the latest `lag` blocks; null if that is no matter here. */
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
