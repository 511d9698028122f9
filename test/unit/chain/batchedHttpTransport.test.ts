import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import { createPublicClient } from 'viem'
import { afterEach, expect, it, onTestFinished } from 'vitest'
import { createBatchedHttpTransport } from '../../../services/chain/batchedHttpTransport.ts'
import { createChainClient } from '../../../services/chain/chainClient.ts'

let server: Server | undefined
afterEach(() => server?.close())

type Answer = { jsonrpc: string; id: number; result: string }

/** `spoil` changes what it answers to a batch. */
type Faults = {
  waitMs?: number
  result?: string
  status?: number
  echo?: boolean
  spoil?: (answers: Answer[]) => unknown
  isSilent?: boolean
  isAway?: boolean
}

/** Serves JSON-RPC; returns how many requests each HTTP request carried. */
async function startNode(
  port: number,
  acceptsBatches: boolean,
  faults: Faults = {},
): Promise<number[]> {
  const { waitMs = 0, result = '0x1', status = 400, echo = false, spoil } = faults
  const sizes: number[] = []
  server = createServer(async (request, response) => {
    if (faults.isAway) return request.socket.destroy()
    const chunks = await request.toArray()
    const body = JSON.parse(Buffer.concat(chunks).toString('utf8'))
    const calls = [body].flat()
    if (Array.isArray(body) && !acceptsBatches) return response.writeHead(status).end()
    sizes.push(calls.length)
    if (faults.isSilent) return
    await setTimeout(waitMs)
    const answers: Answer[] = calls.map(({ id, params }) => {
      return { jsonrpc: '2.0', id, result: echo ? params[0] : result }
    })
    response.setHeader('content-type', 'application/json')
    const all = spoil ? spoil(answers) : answers
    response.end(JSON.stringify(Array.isArray(body) ? all : answers[0]))
  })
  await new Promise<void>((resolve) => server?.listen(port, '127.0.0.1', resolve))
  return sizes
}

function clientAt(port: number, timeout = 2_000) {
  const transport = createBatchedHttpTransport(`http://127.0.0.1:${port}`, {
    timeout,
    retryCount: 0,
  })
  return createPublicClient({ transport, cacheTime: 0 })
}

const askTwice = (client: ReturnType<typeof clientAt>) =>
  Promise.all([client.getBlockNumber(), client.getChainId()])

const askAll = (client: ReturnType<typeof clientAt>, texts: readonly string[]) =>
  Promise.all(texts.map((text) => client.request({ method: 'echo', params: [text] } as never)))

const askThree = (client: ReturnType<typeof clientAt>) => askAll(client, ['a', 'b', 'c'])

const TOO_LARGE = { error: { code: -32_600, message: 'Too many requests in batch' } }

it('sends concurrent requests in one batch', async () => {
  const sizes = await startNode(0, true)
  await askTwice(clientAt((server?.address() as AddressInfo).port))
  expect(sizes).toEqual([2])
})

it('sends single requests to a node that refuses batches', async () => {
  const sizes = await startNode(0, false)
  await askTwice(clientAt((server?.address() as AddressInfo).port))
  expect(sizes).toEqual([1, 1])
})

it.each([
  403, 500,
])('sends single requests to a node that answers batches by HTTP %d', async (status) => {
  const sizes = await startNode(0, false, { status })
  await askTwice(clientAt((server?.address() as AddressInfo).port))
  expect(sizes).toEqual([1, 1])
})

it.each<[string, (answers: Answer[]) => unknown]>([
  ['leaves one out', (answers) => answers.slice(1)],
  ['leaves one out and repeats another', ([, second, third]) => [third, second, third]],
  ['answers with foreign ids', (answers) => answers.map((one) => ({ ...one, id: 77 + one.id }))],
  ['answers by one error', () => ({ id: null, error: { code: -32_600, message: 'no batches' } })],
  ['answers by nothing', () => null],
])('asks singly a node that of a batch %s', async (_, spoil) => {
  await startNode(0, true, { echo: true, spoil })
  expect(await askThree(clientAt((server?.address() as AddressInfo).port))).toEqual(['a', 'b', 'c'])
})

it('doesn’t send a batch again singly because the node is at its rate limit', async () => {
  let isLimited = true
  const limit = { id: null, error: { code: -32_005, message: 'rate limit exceeded' } }
  const spoil = (answers: Answer[]) => (isLimited ? limit : answers)
  const sizes = await startNode(0, true, { echo: true, spoil })
  const client = clientAt((server?.address() as AddressInfo).port)
  await expect(askThree(client)).rejects.toThrow('rate limit exceeded')
  isLimited = false
  expect(await askThree(client)).toEqual(['a', 'b', 'c'])
  expect(sizes).toEqual([3, 3])
})

it('sends smaller batches, one after another, to a node that is at its rate limit again and again', async () => {
  const limit = { id: null, error: { code: -32_005, message: 'rate limit exceeded' } }
  const spoil = (answers: Answer[]) => (answers.length > 1 ? limit : answers)
  const faults: Faults = { echo: true, spoil }
  const sizes = await startNode(0, true, faults)
  const client = clientAt((server?.address() as AddressInfo).port, 1_000)
  for (let at = 0; at < 2; at++) await expect(askThree(client)).rejects.toThrow('rate limit')
  expect(await askThree(client)).toEqual(['a', 'b', 'c'])
  expect(sizes).toEqual([3, 3, 1, 1, 1])
  // If it then falls silent, no request waits for the timeouts of those before it.
  faults.isSilent = true
  const failed = await Promise.allSettled(['a', 'b', 'c'].map((text) => askAll(client, [text])))
  expect(failed.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected'])
  expect(sizes).toEqual([3, 3, 1, 1, 1, 1])
})

it.each([
  ['once', (answers: Answer[]) => ({ ...answers[0], id: null, ...TOO_LARGE })],
  ['of each', (answers: Answer[]) => answers.map(({ id }) => ({ id, ...TOO_LARGE }))],
])('sends a batch’s requests singly if the node says, %s, that they are too many for a batch', async (_, refuse) => {
  const spoil = (answers: Answer[]) => (answers.length > 1 ? refuse(answers) : answers)
  const sizes = await startNode(0, true, { echo: true, spoil })
  const client = clientAt((server?.address() as AddressInfo).port)
  expect(await askThree(client)).toEqual(['a', 'b', 'c'])
  expect(sizes).toEqual([3, 1, 1, 1])
})

it('matches a batch’s answers in any order', async () => {
  const spoil = (answers: Answer[]) => answers.toReversed()
  const sizes = await startNode(0, true, { echo: true, spoil })
  expect(await askThree(clientAt((server?.address() as AddressInfo).port))).toEqual(['a', 'b', 'c'])
  expect(sizes).toEqual([3])
})

it('doesn’t let calls of contracts delay other reads, nor one client’s another’s', async () => {
  const sizes = await startNode(0, true)
  const { port } = server?.address() as AddressInfo
  const call = { method: 'eth_call', params: [] } as never
  const [one, other] = [clientAt(port), clientAt(port)]
  const calls = [one, one, other, other].map((client) => client.request(call))
  await Promise.all([askTwice(one), ...calls])
  expect(sizes).toEqual([2, 2, 2])
})

it('sends at most 50 requests together', async () => {
  const sizes = await startNode(0, true, { echo: true })
  const client = clientAt((server?.address() as AddressInfo).port)
  const texts = Array.from({ length: 120 }, (_, index) => String(index))
  expect(await askAll(client, texts)).toEqual(texts)
  expect(sizes.toSorted()).toEqual([20, 50, 50])
})

it('batches again after the node was unreachable', async () => {
  const faults = { isAway: true }
  const sizes = await startNode(0, true, faults)
  const client = clientAt((server?.address() as AddressInfo).port)
  await expect(askTwice(client)).rejects.toThrow('HTTP request failed')
  faults.isAway = false
  await askTwice(client)
  expect(sizes).toEqual([2])
})

it('doesn’t give up as early as another client of the same node', async () => {
  await startNode(0, true, { waitMs: 500 })
  const { port } = server?.address() as AddressInfo
  const [hasty, patient] = [clientAt(port, 100), clientAt(port, 10_000)]
  const asked = Promise.allSettled([hasty.getChainId(), patient.getChainId()])
  expect((await asked).map(({ status }) => status)).toEqual(['rejected', 'fulfilled'])
})

it('asks singly for answers that are too long together, and batches again', async () => {
  const result = 'a'.repeat(6 * 1024 * 1024)
  const sizes = await startNode(0, true, { result })
  const client = clientAt((server?.address() as AddressInfo).port, 20_000)
  const ask = (method: string) => client.request({ method } as never)
  for (let round = 0; round < 2; round++) {
    const answers = await Promise.all([ask('web3_clientVersion'), ask('net_version')])
    expect(answers.map((answer) => answer === result)).toEqual([true, true])
  }
  expect(sizes).toEqual([2, 1, 1, 2, 1, 1])
})

it.each<[string, unknown]>([
  ['nothing', ''],
  ['an object without a result', '{"jsonrpc":"2.0","id":1}'],
])('asks the next node if one answers with %s', async (_, body) => {
  const empty = createServer((_request, response) => void response.end(body))
  onTestFinished(() => void empty.close())
  await new Promise<void>((resolve) => empty.listen(0, '127.0.0.1', resolve))
  await startNode(0, true, { result: '0xa' })
  const rpcUrls = [empty, server!].map(
    (node) => `http://127.0.0.1:${(node.address() as AddressInfo).port}`,
  )
  const client = createChainClient({ name: 'x', chainId: 10, rpcUrls })
  expect(await client.getBlockNumber()).toBe(10n)
})

it('takes no answer of a node that serves another chain, and asks it once about one that it serves', async () => {
  const sizes = await startNode(0, true, { result: '0xa' })
  const { port } = server?.address() as AddressInfo
  const at = (chainId: number) =>
    createChainClient({ name: 'x', chainId, rpcUrls: [`http://127.0.0.1:${port}`] })
  const words = /a node serves chain 10, not chain 8453: check rpcUrls/
  await expect(at(8_453).getBlockNumber()).rejects.toThrow(words)
  const client = at(10)
  sizes.length = 0
  expect(await client.getBlockNumber()).toBe(10n)
  expect(await client.getBlockNumber()).toBe(10n)
  expect(sizes).toEqual([2, 1])
})
