import { json } from 'node:stream/consumers'
import { encodeEventTopics, encodeFunctionResult, type Hex, pad, toHex, zeroAddress } from 'viem'
import { expect, test } from 'vitest'
import { createVaultChains } from '../../../services/orders/chain/vaultChain.ts'
import { findUnreadOrders } from '../../../services/orders/follow/findUnreadOrders.ts'
import { createUnreadOrderSearch } from '../../../services/orders/follow/unreadOrderSearch.ts'
import type { ServedChain } from '../../../services/orders/ordersContext.ts'
import { orderVaultAbi } from '../../../src/event/abi/orderVault.ts'
import { serveLocally } from '../../rig/serveLocally.ts'
import { ORDER, OWNER, TOKEN } from './orderCase.ts'

const VAULT: Hex = `0x${'a1'.repeat(20)}`
const MINUTE = 60_000

type Call = { id: number; method: string; params: [Record<string, Hex> & Hex] }

/**
 * A node, and how often it was asked for logs of several blocks.
 *
 * @param getLogs what it answers then; null: HTTP 500
 * @param left what it says that the vault holds of each order
 */
async function startNode(getLogs: () => Promise<unknown[] | null>, left = 0n) {
  let searches = 0
  const record = { ...{ owner: OWNER, token: TOKEN, destChainId: 0n, tokenB: zeroAddress }, left }
  const numbers = { expectedAmountB: 0n, amountPerPeriod: 0n, period: 0n, firstAt: 0n, quorum: 1 }
  const result = { ...record, ...numbers, endTime: 0n, lastFiredAt: 0n, fired: 0n, closed: false }
  const order = encodeFunctionResult({ abi: orderVaultAbi, functionName: 'getOrder', result })
  const answer = async ({ method, params: [first] }: Call) => {
    if (method === 'eth_chainId') return toHex(84532)
    if (method === 'eth_call') return order
    if (method === 'eth_getBlockByNumber')
      return { number: first, hash: pad(first), parentHash: pad('0x1'), timestamp: '0x1' }
    if (first.fromBlock === first.toBlock) return []
    searches += 1
    return getLogs()
  }
  const url = await serveLocally(async (request, response) => {
    const said = (await json(request)) as Call | Call[]
    const results = await Promise.all([said].flat().map(answer))
    const answers = [said].flat().map(({ id }, at) => ({ jsonrpc: '2.0', id, result: results[at] }))
    if (results.includes(null)) return response.writeHead(500).end()
    response.end(JSON.stringify(Array.isArray(said) ? answers : answers[0]))
  })
  return { url, searches: () => searches }
}

function chainOf(...nodes: { url: string }[]) {
  const place = { bridge: VAULT, vault: VAULT, startBlock: 1, confirmations: 0 }
  const rpcUrls = nodes.map(({ url }) => url)
  const [chain] = createVaultChains([{ name: 'base_sepolia', chainId: 84532, rpcUrls, ...place }])
  return chain!
}

const book = { find: () => null } as never

test('no node’s whole history is read once too few are left to decide', async () => {
  const failed = Promise.withResolvers<void>()
  const broken = await startNode(async () => {
    failed.resolve()
    return null
  })
  const honest = await startNode(() => failed.promise.then(() => []))
  const range = { from: 1, to: 100_000_000 }
  const { signal } = new AbortController()
  await expect(findUnreadOrders(chainOf(broken, honest), book, range, signal)).rejects.toThrow(
    '500',
  )
  // Of a thousand and more.
  expect(honest.searches()).toBeLessThan(100)
})

/** The log of the order's funding, as a node shows it in a block. */
function fundingAt(block: number) {
  const args = { orderId: ORDER, owner: OWNER, token: TOKEN }
  const topics = encodeEventTopics({ abi: orderVaultAbi, eventName: 'OrderFunded', args })
  const hash = pad(toHex(block))
  const point = { blockNumber: toHex(block), blockHash: hash, transactionHash: hash }
  return { address: VAULT, topics, data: '0x', logIndex: '0x0', ...point }
}

test('an order is found in the block where most nodes show it', async () => {
  const nodes = await Promise.all([7, 7, 9].map((at) => startNode(async () => [fundingAt(at)], 1n)))
  const { signal } = new AbortController()
  const found = await findUnreadOrders(chainOf(...nodes), book, { from: 1, to: 100 }, signal)
  expect(found).toEqual([{ orderId: ORDER, blockNumber: 7, hiddenBy: [] }])
})

test('an order that only one of two nodes shows is looked for less and less often', async () => {
  const [liar, honest] = await Promise.all([
    startNode(async () => [fundingAt(7)], 1n),
    startNode(async () => []),
  ])
  let now = 0
  const chain = chainOf(liar, honest) as ServedChain
  const search = createUnreadOrderSearch(chain, 10 * MINUTE, () => now)
  const token = { token: TOKEN, left: 0n, credits: 0n, balance: 1n, difference: 1n }
  const ledger = { blockNumber: 100, tokens: [token], contradicted: [] }
  const snapshot = { book, head: { number: 100, hash: pad('0x64'), timestamp: 1 } }
  const searchedAt: number[] = []
  for (; now < 300 * MINUTE; now += MINUTE) {
    const before = honest.searches()
    await search.check(ledger, snapshot, new AbortController().signal)
    if (honest.searches() > before) searchedAt.push(now / MINUTE)
  }
  expect(searchedAt).toEqual([0, 10, 30, 70, 150])
  expect(search.unread().map(({ orderId }) => orderId)).toEqual([ORDER])
  await search.check({ ...ledger, tokens: [] }, snapshot, new AbortController().signal)
  expect(search.unread()).toEqual([])
})
