import { createPublicClient } from 'viem'
import { afterEach, expect, it } from 'vitest'
import { createChainClient } from '../../../services/chain/chainClient.ts'
import { createHttpTransport } from '../../../services/chain/httpTransport.ts'
import { createChainNodes, RefusedError } from '../../../services/chain/transactions/chainNodes.ts'
import { type Fault, startFaultyRpc } from '../../rig/faultyRpc.ts'

const stops: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop()
})

/** The URL of a node that does this with every call. */
async function startNode(fault: Fault): Promise<string> {
  const node = await startFaultyRpc('http://127.0.0.1:1')
  node.inject(() => fault)
  stops.push(node.close)
  return node.url
}

const STALLS = { stall: true } as const
const REFUSES = { error: { code: -32000, message: 'already known' } }
const HASH = `0x${'12'.repeat(32)}` as const

it('gives up a node that stalls after the headers, as one that doesn’t answer', async () => {
  const transport = createHttpTransport(await startNode(STALLS), { timeout: 200, retryCount: 0 })
  await expect(createPublicClient({ transport }).getBlockNumber()).rejects.toThrow(
    'The request took too long to respond.',
  )
})

it('passes on results, errors and statuses', async () => {
  const ask = async (fault: Fault) => {
    const transport = createHttpTransport(await startNode(fault), { timeout: 5_000, retryCount: 0 })
    return createPublicClient({ transport }).getBlockNumber()
  }
  expect(await ask({ result: '0x7' })).toBe(7n)
  await expect(ask(REFUSES)).rejects.toThrow('already known')
  await expect(ask({ status: 503 })).rejects.toMatchObject({ status: 503 })
  await expect(ask({ status: 204 })).rejects.toThrow()
})

it('reads no answer without end', async () => {
  const url = await startNode({ result: `0x${'0'.repeat(11 * 1024 * 1024)}` })
  const transport = createHttpTransport(url, { timeout: 5_000, retryCount: 0 })
  await expect(createPublicClient({ transport }).getBlockNumber()).rejects.toThrow(
    'the answer exceeds 10485760 bytes',
  )
})

it('a chain client turns to its next node', async () => {
  const rpcUrls = [await startNode(STALLS), await startNode({ result: '0x7' })]
  const client = createChainClient({ name: 'x', chainId: 7, rpcUrls }, { timeoutMs: 200 })
  expect(await client.getBlockNumber()).toBe(7n)
})

it('a broadcast that the other nodes refuse ends, and so does the search for a transaction', async () => {
  const urls = await Promise.all([STALLS, REFUSES, REFUSES].map(startNode))
  const broadcast = createChainNodes(urls).broadcast('0x02')
  const unknown = await Promise.all([STALLS, { result: null }, { result: null }].map(startNode))
  const [sent, isKnown] = await Promise.all([
    broadcast.catch((error) => error),
    createChainNodes(unknown).isKnown(HASH),
  ])
  expect(sent).toBeInstanceOf(RefusedError)
  expect(isKnown).toBe(false)
})
