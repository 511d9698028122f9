import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { setTimeout as pause } from 'node:timers/promises'
import { expect, onTestFinished, test, vi } from 'vitest'
import { createRpcEndpoints } from '../../../services/chain/rpcPool/rpcEndpoint.ts'
import { classifyRpcError } from '../../../services/chain/rpcPool/rpcError.ts'
import { createRpcPool } from '../../../services/chain/rpcPool/rpcPool.ts'
import { createSeenHeads } from '../../../services/chain/rpcPool/seenHeads.ts'
import { chainSchema } from '../../../services/config/chainConfig.ts'
import { bloomAdmits, bloomBits } from '../../../services/indexer/history/logsBloom.ts'

test('endpoint names contain no key', () => {
  const rpcUrls = ['https://rpc.example/v2/secret?key=secret', 'http://127.0.0.1:8545']
  const endpoints = createRpcEndpoints({ rpcUrls, requestsPerSecond: { [rpcUrls[0]!]: 25 } })
  expect(endpoints.map(({ name }) => name)).toEqual(['rpc.example#1', '127.0.0.1:8545#2'])
  expect(endpoints.map(({ requestsPerSecond }) => requestsPerSecond)).toEqual([25, undefined])
})

test('a provider with false logs is never readmitted, whatever else it got wrong since', () => {
  const [provider] = createRpcPool({ chainId: 1, rpcUrls: ['http://127.0.0.1:1'] }).providers
  provider!.setQuarantine('logs', 'it omits a log')
  provider!.setQuarantine('hash', 'it has another block')
  provider!.readmit()
  expect(provider!.quarantine).toEqual({ ground: 'logs', reason: 'it omits a log' })
})

type Sent = { id: number; method: string }

/** What a node answers: an object, an HTTP status and a text, or nothing. */
type Said = object | [number, string] | null

/** The URL of a node that answers what it is sent, a request or a batch. */
async function startNode(answer: (sent: Sent | Sent[]) => Said | Promise<Said>): Promise<string> {
  const server = createServer(async (request, response) => {
    const said = await answer(JSON.parse(await text(request)))
    if (said === null) return
    const [status, body] = isStatus(said) ? said : [200, JSON.stringify(said)]
    response.writeHead(status).end(body)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/key`
}

function isStatus(said: object | [number, string]): said is [number, string] {
  return Array.isArray(said) && typeof said[0] === 'number'
}

/** The answers of a healthy node of chain 84532. */
function answerHealthily(sent: Sent | Sent[]): object {
  const each = [sent].flat().map(({ id, method }) => {
    return { id, result: method === 'eth_chainId' ? '0x14a34' : '0x7' }
  })
  return Array.isArray(sent) ? each : each[0]!
}

const HEAD = { method: 'eth_blockNumber', params: [] }

test.each([
  [401, { code: -32600, message: 'Must be authenticated!' }],
  [402, { code: 35, message: 'The plan of this key has ended' }],
  [403, { code: -32001, message: 'rpc method is not whitelisted' }],
  [500, { code: -32000, message: 'request timed out' }],
  [503, { code: -32011, message: 'no backends available for method' }],
  [503, 'upstream connect error'],
])('another node answers for one whose host answers HTTP %i, %j', async (status, error) => {
  let isServed = false
  const refusing = await startNode((sent) =>
    isServed ? answerHealthily(sent) : [status, JSON.stringify({ jsonrpc: '2.0', id: 1, error })],
  )
  const rpcUrls = [refusing, await startNode(answerHealthily)]
  const fresh = createRpcPool({ chainId: 84532, rpcUrls })
  const ask = (pool: typeof fresh) =>
    pool.request(HEAD.method, HEAD.params, { totalTimeoutMs: 5_000 })
  expect(await ask(fresh), 'from the beginning').toBe('0x7')
  isServed = true
  const used = createRpcPool({ chainId: 84532, rpcUrls })
  await ask(used)
  isServed = false
  expect(await ask(used), 'from one day on').toBe('0x7')
})

test('what a host says of its refusal is logged and reported', async () => {
  const error = { code: -32600, message: 'Must be authenticated!' }
  const url = await startNode(() => [401, JSON.stringify({ jsonrpc: '2.0', id: 1, error })])
  const reasons: string[] = []
  const { request } = createRpcPool({
    chainId: 84532,
    rpcUrls: [url],
    observe: (event) => 'reason' in event && reasons.push(event.reason),
  })
  const asked = request(HEAD.method, HEAD.params, { totalTimeoutMs: 100 })
  await expect(asked).rejects.toThrow('HTTP 401: Must be authenticated!')
  expect(reasons).toContain('HTTP 401: Must be authenticated!')
})

test.each([
  [400, 'execution reverted: no'],
  [500, 'execution reverted: no'],
  [400, 'eth_getLogs is limited to a 10 blocks range'],
  [500, 'backend response too large'],
  [403, 'Please specify an address in your request'],
])('an error about the request, with HTTP %i and “%s”, is no failure of the node', async (status, message) => {
  const url = await startNode((sent) =>
    'method' in sent && sent.method === 'eth_chainId'
      ? answerHealthily(sent)
      : [status, JSON.stringify({ id: 0, error: { code: -32000, message } })],
  )
  const { send } = createRpcPool({ chainId: 84532, rpcUrls: [url] })
  const { answers } = await send([HEAD], { totalTimeoutMs: 5_000 })
  expect(answers).toMatchObject([{ error: { failure: 'refused', message } }])
})

test('a node that says of each request that its batch is too large gets them singly', async () => {
  const refusal = { error: { code: -32_005, message: 'too many requests in the batch, at most 1' } }
  const url = await startNode((sent) =>
    Array.isArray(sent)
      ? sent.map(({ id }) => ({ id, ...refusal }))
      : { id: sent.id, result: sent.method === 'eth_chainId' ? '0x14a34' : '0x7' },
  )
  const { send } = createRpcPool({ chainId: 84532, rpcUrls: [url] })
  const head = { method: 'eth_blockNumber', params: [] }
  const { answers } = await send([head, head], { totalTimeoutMs: 5_000 })
  expect(answers).toEqual([{ result: '0x7' }, { result: '0x7' }])
})

test.each([
  [413, { code: -32014, message: 'too many RPC calls in batch request' }],
  [413, 'Payload Too Large'],
  [403, { code: -32600, message: 'batch requests are not allowed' }],
  [500, { code: -32000, message: 'Batch is not supported' }],
])('a node whose host answers batches with HTTP %i, %j, gets requests singly', async (status, error) => {
  const url = await startNode((sent) =>
    Array.isArray(sent) ? [status, JSON.stringify({ error })] : answerHealthily(sent),
  )
  const { send } = createRpcPool({ chainId: 84532, rpcUrls: [url] })
  const { answers } = await send([HEAD, HEAD], { totalTimeoutMs: 5_000 })
  expect(answers).toEqual([{ result: '0x7' }, { result: '0x7' }])
})

test('a node that never takes a large batch within its rate limit gets small ones, one after another', async () => {
  const sizes: number[] = []
  let [atOnce, most] = [0, 0]
  const url = await startNode(async (sent) => {
    const size = [sent].flat().length
    if (size > 1) sizes.push(size)
    if (size > 3) return [429, 'Too Many Requests']
    most = Math.max(most, ++atOnce)
    await pause(1)
    atOnce--
    return answerHealthily(sent)
  })
  const { send } = createRpcPool({ chainId: 84532, rpcUrls: [url] })
  const many = Array.from({ length: 9 }, () => HEAD)
  const { answers } = await send(many, { totalTimeoutMs: 10_000 })
  expect(answers).toEqual(many.map(() => ({ result: '0x7' })))
  expect(sizes).toEqual([9, 9, 4, 2, 2, 2, 2])
  expect(most).toBe(1)
})

test('a node that accepts only small batches gets small ones, from the second time on without a refusal', async () => {
  const sizes: number[] = []
  const error = { code: -32014, message: 'too many RPC calls in batch request' }
  const url = await startNode((sent) => {
    const size = [sent].flat().length
    if (size > 1) sizes.push(size)
    return size > 10 ? [413, JSON.stringify({ error })] : answerHealthily(sent)
  })
  const { send } = createRpcPool({ chainId: 84532, rpcUrls: [url] })
  const many = Array.from({ length: 40 }, () => HEAD)
  const each = many.map(() => ({ result: '0x7' }))
  expect((await send(many, { totalTimeoutMs: 5_000 })).answers).toEqual(each)
  expect(sizes.slice(0, 3)).toEqual([40, 20, 20])
  sizes.length = 0
  expect((await send(many, { totalTimeoutMs: 5_000 })).answers).toEqual(each)
  expect(Math.max(...sizes)).toBeLessThanOrEqual(10)
})

test('a node that refused batches during an outage gets whole ones again an hour later', async () => {
  const sizes: number[] = []
  let isOverloaded = true
  const url = await startNode((sent) => {
    const size = [sent].flat().length
    if (size > 1) sizes.push(size)
    if (size > 1 && isOverloaded) return { error: { code: -32603, message: 'Internal error' } }
    return answerHealthily(sent)
  })
  const { send } = createRpcPool({ chainId: 84532, rpcUrls: [url] })
  const many = Array.from({ length: 8 }, () => HEAD)
  const isAnswered = async () => {
    sizes.length = 0
    const { answers } = await send(many, { totalTimeoutMs: 5_000 })
    expect(answers).toEqual(many.map(() => ({ result: '0x7' })))
  }
  await isAnswered()
  isOverloaded = false
  await isAnswered()
  expect(sizes).toEqual([])
  const { now } = performance
  const later = vi.spyOn(performance, 'now').mockImplementation(() => now.call(performance) + 3.6e6)
  onTestFinished(() => later.mockRestore())
  await isAnswered()
  expect(sizes).toEqual([8])
})

test.each([
  [8, 'refused'],
  [1, 'unreachable'],
])('for a reader that can ask for less, the logs of %i blocks that no node has in time are %s', async (blocks, failure) => {
  const silent = await startNode((sent) =>
    'method' in sent && sent.method === 'eth_chainId' ? answerHealthily(sent) : null,
  )
  const rpcUrls = [silent, await startNode(() => [504, 'Gateway Timeout'])]
  const { send, providers } = createRpcPool({ chainId: 84532, rpcUrls })
  // Ask for the node's chain first: on a busy machine, 50 ms wouldn't be enough for that too.
  await providers[0]!.send([{ method: 'eth_chainId', params: [] }], { timeoutMs: 50_000 })
  const [fromBlock, toBlock] = ['0x1', `0x${blocks.toString(16)}`]
  const logs = { method: 'eth_getLogs', params: [{ fromBlock, toBlock }] }
  const asked = send([logs], { totalTimeoutMs: 1_000, timeoutMs: 50, canNarrow: true })
  await expect(asked).rejects.toMatchObject({ failure })
})

test.each([
  ['reports its own timeout, as an internal error,', -32603, 'Internal error: request timed out'],
  ['has none behind it that answers', -32011, 'no backends available for method'],
])('a node that %s is asked for fewer blocks of logs', async (_, code, message) => {
  const error = { code, message }
  const url = await startNode((sent) =>
    'method' in sent && sent.method === 'eth_chainId' ? answerHealthily(sent) : { id: 0, error },
  )
  const { send } = createRpcPool({ chainId: 84532, rpcUrls: [url] })
  const logs = { method: 'eth_getLogs', params: [{ fromBlock: '0x1', toBlock: '0x8' }] }
  const asked = send([logs], { totalTimeoutMs: 1_000, canNarrow: true })
  await expect(asked).rejects.toMatchObject({ failure: 'refused' })
})

test.each([
  ['an internal error', { error: { code: -32603, message: 'Internal error' } }],
  ['neither result nor error', {}],
])('a node that answers each time with %s isn’t asked again without a pause', async (_, said) => {
  let asked = 0
  const url = await startNode((sent) => {
    if ('method' in sent && sent.method === 'eth_chainId') return answerHealthily(sent)
    asked += 1
    return { id: 0, ...said }
  })
  const { request } = createRpcPool({ chainId: 84532, rpcUrls: [url] })
  const answer = request(HEAD.method, HEAD.params, { totalTimeoutMs: 1_000 })
  await expect(answer).rejects.toMatchObject({ failure: 'unreachable' })
  expect(asked).toBeLessThan(6)
})

test('a host without a node behind it is passed over, also if it says so in the answer to a batch', async () => {
  const error = { code: -32011, message: 'no backends available for method' }
  const offline = await startNode((sent) =>
    Array.isArray(sent) ? sent.map(({ id }) => ({ id, error })) : answerHealthily(sent),
  )
  const healthy = await startNode(answerHealthily)
  const { send } = createRpcPool({ chainId: 84532, rpcUrls: [offline, healthy] })
  const { answers } = await send([HEAD, HEAD], { totalTimeoutMs: 5_000 })
  expect(answers.every((answer) => 'result' in answer)).toBe(true)
})

test('the parts of a refused batch share its time', async () => {
  const url = await startNode(async (sent) => {
    if (Array.isArray(sent)) return [413, 'Payload Too Large']
    if (sent.method !== 'eth_chainId') await pause(100)
    return answerHealthily(sent)
  })
  const [provider] = createRpcPool({ chainId: 84532, rpcUrls: [url] }).providers
  await provider!.send([HEAD, HEAD], { timeoutMs: 5_000 })
  // Sent eight at once, they take the node at least 500 ms.
  const many = Array.from({ length: 40 }, () => HEAD)
  const failure = { failure: 'unreachable', isTimeout: true }
  await expect(provider!.send(many, { timeoutMs: 300 })).rejects.toMatchObject(failure)
})

test('a node of another chain is an error that names both', async () => {
  const url = await startNode(
    (sent) =>
      [sent]
        .flat()
        .map(({ id }) => ({ jsonrpc: '2.0', id, result: '0x1' }))
        .at(0)!,
  )
  const [provider] = createRpcPool({ chainId: 84532, rpcUrls: [url] }).providers
  const asked = provider!.send([{ method: 'eth_blockNumber', params: [] }], { timeoutMs: 5_000 })
  await expect(asked).rejects.toThrow(
    'a node serves chain 1, not base_sepolia 84532: check rpcUrls',
  )
})

test('a chain can configure a rate limit per URL', () => {
  const rest = { chainId: 1, bridge: `0x${'11'.repeat(20)}`, startBlock: 0, confirmations: 1 }
  const one = { url: 'https://a.example', requestsPerSecond: 25 }
  const parsed = chainSchema.parse({ name: 'main', rpcUrls: [one, 'https://b.example'], ...rest })
  expect(parsed.rpcUrls).toEqual(['https://a.example', 'https://b.example'])
  expect(parsed.requestsPerSecond).toEqual({ 'https://a.example': 25 })
  expect(chainSchema.parse(parsed), 'a parsed entry parses again').toEqual(parsed)
  const wrong = chainSchema.safeParse({ name: 'main', rpcUrls: [{ ...one, rate: 3 }], ...rest })
  expect(wrong.success).toBe(false)
  const zero = { ...one, requestsPerSecond: 0 }
  expect(chainSchema.safeParse({ name: 'main', rpcUrls: [zero], ...rest }).success).toBe(false)
})

test.each([
  [{ code: 429, message: 'x' }, 'rate-limited'],
  [{ code: -32005, message: 'daily request quota exceeded' }, 'rate-limited'],
  [{ code: -32005, message: 'query returned more than 10000 results' }, 'refused'],
  [{ code: -32005, message: 'too many requests in the batch, at most 10' }, 'refused'],
  [{ code: 15, message: 'Too many request, try again later' }, 'rate-limited'],
  [{ code: 35, message: "You've reached the usage limit for your current plan" }, 'rate-limited'],
  [{ code: -32005, message: "You've exceeded the RPS limit of the current plan" }, 'rate-limited'],
  [{ code: -32000, message: 'header not found' }, 'behind'],
  [{ code: 4444, message: 'pruned history unavailable' }, 'behind'],
  [{ code: -32000, message: 'history has been pruned for this block' }, 'behind'],
  [{ code: -32000, message: 'historical state 0x12 is not available' }, 'behind'],
  [{ code: -32002, message: 'No state available for block 0x12' }, 'behind'],
  [{ code: -32701, message: 'Archive requests require a personal token' }, 'behind'],
  [{ code: -32000, message: 'header for hash not found' }, 'behind'],
  [{ code: -32000, message: 'block 0x1f not found' }, 'behind'],
  [{ code: -32601, message: 'the method does not exist' }, 'unsupported'],
  [{ code: -32603, message: 'internal error' }, 'unreachable'],
  [{ code: -32603, message: 'runtime error: index out of range [3]' }, 'unreachable'],
  [
    { code: -32603, message: 'range end index 64 out of range for slice of length 32' },
    'unreachable',
  ],
  [{ code: -32603, message: 'index out-of-range' }, 'unreachable'],
  [{ code: -32603, message: 'block range is too wide (maximum 1024)' }, 'refused'],
  [{ code: -32603, message: 'query returned more than 10000 results' }, 'refused'],
  [{ code: -32011, message: 'no backends available for method' }, 'unreachable'],
  [{ code: -32010, message: 'backend offline' }, 'unreachable'],
  [{ code: -32011, message: 'no backend is currently healthy to serve traffic' }, 'unreachable'],
  [{ code: -32013, message: 'backend returned an invalid response' }, 'unreachable'],
  [{ code: 19, message: 'Temporary internal error. Please retry' }, 'unreachable'],
  [{ code: 3, message: 'execution reverted' }, 'refused'],
  [{ code: 3, message: 'rate limit exceeded' }, 'refused'],
  [{ code: -32000, message: 'execution reverted: too many requests' }, 'refused'],
  [{ code: -32603, message: 'VM Exception: reverted with "header not found"' }, 'refused'],
])('%j is classified as %s', (error, failure) => {
  expect(classifyRpcError(error).failure).toBe(failure)
})

test.each([
  'block ',
  'state ',
  'rps a ',
])('an error that repeats “%s” 30,000 times is classified at once', (word) => {
  const began = performance.now()
  const { message } = classifyRpcError({ code: -32000, message: word.repeat(30_000) })
  expect(performance.now() - began).toBeLessThan(1_000)
  expect(message.length).toBeLessThan(3_000)
})

test('another node answers for one whose error is nested too deeply to be written', async () => {
  const depth = 200_000
  const nested = `{"id":0,"error":${'['.repeat(depth)}${']'.repeat(depth)}}`
  const rpcUrls = [await startNode(() => [200, nested]), await startNode(answerHealthily)]
  const pool = createRpcPool({ chainId: 84532, rpcUrls })
  const asked = pool.request(HEAD.method, HEAD.params, { totalTimeoutMs: 5_000 })
  expect(await asked).toBe('0x7')
})

test('a newer head is accepted, an older one of the same chain lags, any other is a reorg', () => {
  const seen = createSeenHeads()
  seen.recordHead({ number: 10, hash: 'a10' })
  seen.recordHead({ number: 11, hash: 'a11' })
  expect(seen.classify({ number: 12, hash: 'a12' })).toBe('accept')
  expect(seen.classify({ number: 11, hash: 'a11' })).toBe('accept')
  expect(seen.classify({ number: 10, hash: 'a10' })).toBe('lagging')
  expect(seen.classify({ number: 10, hash: 'b10' })).toBe('reorged')
  expect(seen.classify({ number: 11, hash: 'b11' })).toBe('reorged')
  seen.recordHead({ number: 10, hash: 'b10' })
  expect(seen.newest()).toEqual({ number: 10, hash: 'b10' })
  expect(seen.classify({ number: 11, hash: 'a11' }), 'orphaned blocks are forgotten').toBe('accept')
})

test('a looked-up block never replaces a head', () => {
  const seen = createSeenHeads()
  seen.recordHead({ number: 10, hash: 'a10' })
  seen.recordBlock({ number: 10, hash: 'orphan' })
  seen.recordBlock({ number: 9, hash: 'a9' })
  expect(seen.classify({ number: 10, hash: 'a10' })).toBe('accept')
  expect(seen.classify({ number: 9, hash: 'a9' })).toBe('lagging')
})

test('blooms are read the same way as in Ponder', async () => {
  const ponder = await import(new URL('sync-realtime/bloom.js', import.meta.resolve('ponder')).href)
  const values = Array.from({ length: 60 }, (_, at) => `0x${at.toString(16).padStart(64, '0')}`)
  const bytes = new Uint8Array(256)
  for (const value of values.slice(0, 20)) {
    for (const bit of bloomBits(value)) bytes[255 - (bit >> 3)]! |= 1 << (bit & 7)
  }
  const bloom = `0x${Buffer.from(bytes).toString('hex')}`
  const admitted = values.filter((value) => bloomAdmits(bloom, bloomBits(value)))
  expect(admitted).toEqual(values.filter((value) => ponder.isInBloom(bloom, value)))
  expect(admitted.length).toBeGreaterThanOrEqual(20)
  expect(admitted.length).toBeLessThan(60)
})
