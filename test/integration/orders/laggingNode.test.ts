import { sql } from 'kysely'
import { encodeEventTopics, type Hex, pad, toHex } from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type RunningAnvil, startAnvil } from '../../../contracts/anvil/startAnvil.ts'
import { createVaultChains } from '../../../services/orders/chain/vaultChain.ts'
import { followVault } from '../../../services/orders/follow/followVault.ts'
import { dropOrderEvents } from '../../../services/orders/follow/orderEventStore.ts'
import { migrateOrdersDatabase } from '../../../services/orders/migrateOrdersDatabase.ts'
import { type OpenDatabase, openDatabase } from '../../../services/store/database/openDatabase.ts'
import { orderVaultAbi } from '../../../src/event/abi/orderVault.ts'
import { callRpc } from '../../bench/backfill/growChain.ts'
import { type PostgresUnderTest, startPostgresUnderTest } from '../../postgresUnderTest.ts'
import { type FaultyRpc, listRequestedRanges, startFaultyRpc } from '../../rig/faultyRpc.ts'
import { readCopiedEvents } from './readCopiedEvents.ts'

const CHAIN = 84532
/** Enough blocks for the cursor to be saved without an order event. */
const BLOCKS = 1_100

let anvil: RunningAnvil
let node: FaultyRpc
let postgres: PostgresUnderTest
let database: OpenDatabase
beforeAll(async () => {
  ;[anvil, postgres] = await Promise.all([
    startAnvil({ chainId: CHAIN, blockTime: 0 }),
    startPostgresUnderTest(),
  ])
  await migrateOrdersDatabase(postgres.databaseUrl)
  database = openDatabase({ databaseUrl: postgres.databaseUrl })
  node = await startFaultyRpc(anvil.rpc)
})
afterAll(async () => {
  await database?.close()
  await node?.close()
  await Promise.all([anvil?.stop(), postgres?.stop()])
})

const VAULT: Hex = `0x${'a1'.repeat(20)}`

function chainOf(rpcUrls: string[], startBlock: number, chainId = CHAIN, confirmations = 5) {
  const bridge: Hex = `0x${'b1'.repeat(20)}`
  const place = { startBlock, bridge, vault: VAULT, confirmations }
  const [chain] = createVaultChains([{ name: 'base_sepolia', chainId, rpcUrls, ...place }])
  return chain!
}

test('a node that lags behind a final block drops neither the snapshot nor the copied events', async () => {
  await callRpc(anvil.rpc, 'anvil_mine', [toHex(BLOCKS)])
  const chain = chainOf([node.url], 1)
  const follower = followVault(database.db, chain)
  const { head } = await follower.refresh()
  expect(head.number).toBe(BLOCKS)
  const copy = await readCopiedEvents(database.db, chain)
  expect(copy?.cursor.blockNumber).toBe(BLOCKS - 5)
  const old = await callRpc(anvil.rpc, 'eth_getBlockByNumber', [toHex(30), false])
  node.inject(({ params }) => (params[0] === 'latest' ? { result: old } : undefined))
  await expect(follower.refresh()).rejects.toThrow('lags behind')
  expect(follower.latest()?.head).toEqual(head)
  expect(await readCopiedEvents(database.db, chain)).toEqual(copy)
  node.inject(undefined)
  await callRpc(anvil.rpc, 'anvil_mine', [toHex(1)])
  expect((await follower.refresh()).head.number).toBe(BLOCKS + 1)
})

test('a new block costs three headers: the head, the block that becomes final, and that of the logs', async () => {
  const tip = await callRpc(anvil.rpc, 'eth_blockNumber', [])
  const follower = followVault(database.db, chainOf([node.url], Number(tip) - 20))
  await follower.refresh()
  const before = node.count('eth_getBlockByNumber')
  await callRpc(anvil.rpc, 'anvil_mine', [toHex(1)])
  expect((await follower.refresh()).head.number).toBe(Number(tip) + 1)
  expect(node.count('eth_getBlockByNumber') - before).toBe(3)
})

test('a node that lags when the service starts doesn’t make it read a public chain from its beginning', async () => {
  const chainId = 8453
  const publicChain = await startAnvil({ chainId, blockTime: 0 })
  const lagging = await startFaultyRpc(publicChain.rpc)
  try {
    await callRpc(publicChain.rpc, 'anvil_mine', [toHex(BLOCKS)])
    const chain = chainOf([lagging.url], 1, chainId)
    await followVault(database.db, chain).refresh()
    const copy = await readCopiedEvents(database.db, chain)
    expect(copy?.cursor.blockNumber).toBe(BLOCKS - 5)
    const old = await callRpc(publicChain.rpc, 'eth_getBlockByNumber', [toHex(BLOCKS - 6), false])
    lagging.inject(({ params }) => (params[0] === 'latest' ? { result: old } : undefined))
    const restarted = followVault(database.db, chain)
    await expect(restarted.refresh()).rejects.toThrow('lags behind')
    expect(await readCopiedEvents(database.db, chain)).toEqual(copy)
    lagging.inject(undefined)
    expect((await restarted.refresh()).head.number).toBe(BLOCKS)
    // A block that the chain won't reach: a lying node invented it, or someone tampered with the row.
    const latest = await callRpc(publicChain.rpc, 'eth_getBlockByNumber', ['latest', false])
    const serveHeadFrom = (secondsAgo: number) => {
      const timestamp = toHex(Math.floor(Date.now() / 1_000) - secondsAgo)
      const result = { ...(latest as object), timestamp }
      lagging.inject(({ params }) => (params[0] === 'latest' ? { result } : undefined))
    }
    await sql`update orders.cursor set block_number = ${BLOCKS + 301}`.execute(database.db)
    const deceived = followVault(database.db, chain)
    // A stale head may be that far behind.
    serveHeadFrom(120)
    await expect(deceived.refresh()).rejects.toThrow('lags behind')
    serveHeadFrom(0)
    expect((await deceived.refresh()).head.number).toBe(BLOCKS)
    expect(await readCopiedEvents(database.db, chain)).toEqual(copy)
  } finally {
    await lagging.close()
    await publicChain.stop()
  }
})

test('a chain’s only node is read in wide ranges, as far as it allows them', async () => {
  const HEAD = 200_000
  const block = (await callRpc(anvil.rpc, 'eth_getBlockByNumber', ['0x0', false])) as object
  const follow = async (widest: number, confirmations?: number) => {
    await database.pool.query('truncate orders.event, orders.cursor')
    const before = node.count('eth_getLogs')
    node.inject(({ method, params: [first] }) => {
      if (method === 'eth_getBlockByNumber')
        return { result: { ...block, number: first === 'latest' ? toHex(HEAD) : first } }
      if (method !== 'eth_getLogs') return undefined
      const { fromBlock, toBlock } = first as { fromBlock: Hex; toBlock: Hex }
      const isWide = Number(toBlock) - Number(fromBlock) >= widest
      return isWide ? { error: { code: -32_602, message: 'range too wide' } } : { result: [] }
    })
    const follower = followVault(database.db, chainOf([node.url], 1, CHAIN, confirmations))
    expect((await follower.refresh()).head.number).toBe(HEAD)
    node.inject(undefined)
    return node.count('eth_getLogs') - before
  }
  expect(await follow(1_000_000)).toBeLessThan(20)
  // As many as one that gets no wider range needs, and few that are refused.
  expect(await follow(3_000)).toBeLessThan(130)
  // Even if more blocks aren't final yet than are read between two saves.
  expect(await follow(1_000_000, 60_000)).toBeLessThan(20)
})

test('a history that is being read again isn’t begun anew when the last snapshot gives a reason for that once more', async () => {
  await callRpc(anvil.rpc, 'anvil_mine', [toHex(30)])
  const head = Number(await callRpc(anvil.rpc, 'eth_blockNumber'))
  const start = head - 20
  const follower = followVault(database.db, chainOf([node.url], start))
  await follower.refresh()
  follower.requestReload()
  const [asked, answered] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  node.inject(({ method }) => {
    if (method !== 'eth_getLogs') return undefined
    asked.resolve()
    return { hold: answered.promise }
  })
  const from = node.calls.length
  const reading = follower.refresh()
  await asked.promise
  follower.requestReload()
  answered.resolve()
  node.inject(undefined)
  await reading
  await callRpc(anvil.rpc, 'anvil_mine', [toHex(1)])
  await follower.refresh()
  const ranges = listRequestedRanges(node.calls.slice(from))
  expect(ranges.filter((range) => range.startsWith(toHex(start)))).toHaveLength(1)
})

/** A block as a node has it, and a debt of the vault in it that a lying node invents. */
async function inventDebt(number: number) {
  const block = (await callRpc(anvil.rpc, 'eth_getBlockByNumber', [toHex(number), false])) as object
  const { hash } = block as { hash: Hex }
  const [owner, token] = [pad('0x1', { size: 20 }), pad('0x2', { size: 20 })]
  const event = { abi: orderVaultAbi, eventName: 'CreditAdded', args: { owner, token } } as const
  const debt = {
    address: VAULT,
    topics: encodeEventTopics(event),
    data: pad('0x9'),
    blockNumber: toHex(number),
    blockHash: hash,
    transactionHash: pad('0x7'),
    logIndex: '0x0',
  }
  const claim: Parameters<FaultyRpc['inject']>[0] = ({ method, params: [first] }) => {
    if (method === 'eth_getLogs') return { result: [debt] }
    if (method === 'eth_getTransactionByHash')
      return { result: { hash: first, from: owner, blockHash: hash } }
    return undefined
  }
  return { block, claim }
}

test('the first of three nodes can neither invent a debt of the vault nor stop its orders', async () => {
  await callRpc(anvil.rpc, 'anvil_mine', [toHex(30)])
  const head = Number(await callRpc(anvil.rpc, 'eth_blockNumber'))
  const { block, claim } = await inventDebt(head)
  const future = { ...block, number: toHex(head + 1_000_000) }
  node.inject(claim)
  const chain = chainOf([node.url, anvil.rpc, anvil.rpc], head - 20)
  const follower = followVault(database.db, chain)
  expect((await follower.refresh()).book.credits().size).toBe(0)
  node.inject(({ params }) => (params[0] === 'latest' ? { result: future } : undefined))
  await callRpc(anvil.rpc, 'anvil_mine', [toHex(1)])
  expect((await follower.refresh()).head.number).toBe(head + 1)
  node.inject(undefined)
})

test.each([
  ['the block that becomes final', 5],
  ['an earlier one', 10],
])('nor can it invent one that counts for good, in %s, while another node lacks the latest block', async (_, depth) => {
  await callRpc(anvil.rpc, 'anvil_mine', [toHex(30)])
  const head = Number(await callRpc(anvil.rpc, 'eth_blockNumber'))
  const before = await callRpc(anvil.rpc, 'eth_getBlockByNumber', [toHex(head - 1), false])
  const { claim } = await inventDebt(head - depth)
  const late = await startFaultyRpc(anvil.rpc)
  try {
    node.inject(claim)
    late.inject(({ method, params: [first] }) => {
      if (method !== 'eth_getBlockByNumber') return undefined
      if (first === 'latest') return { result: before }
      return first === toHex(head) ? { result: null } : undefined
    })
    const chain = chainOf([node.url, anvil.rpc, late.url], head - 20)
    await database.pool.query('truncate orders.event, orders.cursor')
    expect((await followVault(database.db, chain).refresh()).book.credits().size).toBe(0)
    expect((await readCopiedEvents(database.db, chain))?.events ?? []).toEqual([])
  } finally {
    node.inject(undefined)
    await late.close()
  }
})

test('nor can it while another node is down: nothing counts for good until that answers', async () => {
  await callRpc(anvil.rpc, 'anvil_mine', [toHex(30)])
  const head = Number(await callRpc(anvil.rpc, 'eth_blockNumber'))
  const { block, claim } = await inventDebt(head - 10)
  const down = await startFaultyRpc(anvil.rpc)
  try {
    const chain = chainOf([node.url, anvil.rpc, down.url], head - 20)
    await database.pool.query('truncate orders.event, orders.cursor')
    const follower = followVault(database.db, chain)
    const isDown: Parameters<FaultyRpc['inject']>[0] = () => ({
      error: { code: -32_000, message: 'down' },
    })
    down.inject(isDown)
    node.inject(claim)
    await expect(follower.refresh()).rejects.toThrow('contradict')
    expect((await readCopiedEvents(database.db, chain))?.events ?? []).toEqual([])
    down.inject(undefined)
    const { book } = await follower.refresh()
    expect(book.credits().size).toBe(0)
    // Nor can it have everything read again: its word alone doesn't replace the final block.
    await callRpc(anvil.rpc, 'anvil_mine', [toHex(10)])
    down.inject(isDown)
    const other = { ...block, hash: pad('0xbad'), parentHash: pad('0xbad') }
    node.inject(({ method, params: [first] }) =>
      method === 'eth_getBlockByNumber' && first !== 'latest'
        ? { result: { ...other, number: first } }
        : undefined,
    )
    await expect(follower.refresh()).rejects.toThrow('contradict')
    expect(follower.latest()?.book).toBe(book)
  } finally {
    node.inject(undefined)
    await down.close()
  }
})

describe('a debt in a final block', () => {
  /** A follower that has read a debt of the vault, which is in its copy too. */
  async function followDebt() {
    await callRpc(anvil.rpc, 'anvil_mine', [toHex(30)])
    await database.pool.query('truncate orders.event, orders.cursor')
    const head = Number(await callRpc(anvil.rpc, 'eth_blockNumber'))
    const { claim } = await inventDebt(head - 6)
    node.inject(claim)
    const chain = chainOf([node.url], head - 20)
    const follower = followVault(database.db, chain)
    // Two at once, as of a request and a round, read it once.
    await Promise.all([follower.refresh(), follower.refresh()])
    const debts = async () => [
      [...follower.latest()!.book.credits().values()],
      (await readCopiedEvents(database.db, chain))?.events.length ?? 0,
    ]
    expect(await debts()).toEqual([[9n], 1])
    return { chain, follower, debts }
  }

  test.each([
    1, 3,
  ])('that a deep reorg removes is forgotten, also %i blocks later', async (blocks) => {
    const { follower, debts } = await followDebt()
    node.inject(undefined)
    await callRpc(anvil.rpc, 'anvil_rollback', [10])
    await callRpc(anvil.rpc, 'evm_increaseTime', [7])
    await callRpc(anvil.rpc, 'anvil_mine', [toHex(10 + blocks)])
    await follower.refresh()
    expect(await debts()).toEqual([[], 0])
  })

  test('is read again at once after another instance has dropped the copy', async () => {
    const { chain, follower, debts } = await followDebt()
    await dropOrderEvents(database.db, chain)
    const { claim } = await inventDebt(Number(await callRpc(anvil.rpc, 'eth_blockNumber')))
    node.inject(claim)
    await callRpc(anvil.rpc, 'anvil_mine', [toHex(10)])
    await follower.refresh()
    expect(await debts()).toEqual([[9n], 1])
    node.inject(undefined)
  })
})
