import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { type RunningAnvil, startAnvil } from '../../../contracts/anvil/startAnvil.ts'
import { createRpcPool } from '../../../services/chain/rpcPool/rpcPool.ts'
import type { RpcPoolEvent } from '../../../services/chain/rpcPool/rpcPoolEvent.ts'
import { prefill } from '../../../services/indexer/prefill/prefill.ts'
import { benchBridge, growChain, growingAnvil } from '../../bench/backfill/growChain.ts'
import { type PostgresUnderTest, startPostgresUnderTest } from '../../postgresUnderTest.ts'
import { type Fault, type FaultyRpc, startFaultyRpc } from './faultyRpc.ts'
import { readCache, withClient } from './ponderRun.ts'

type Log = { blockNumber: string; logIndex: string }

let postgres: PostgresUnderTest
let anvil: RunningAnvil
let first: FaultyRpc
let second: FaultyRpc
let expected: Record<string, object[]>
let databases = 0

beforeAll(async () => {
  postgres = await startPostgresUnderTest()
  anvil = await startAnvil({ chainId: 84532, blockTime: 0, extraArguments: growingAnvil })
  const shape = { blocks: 60, eventsPerBlock: 6, eventsPerTransaction: 2, quietBlocks: 9 }
  await growChain(anvil, shape)
  first = await startFaultyRpc(anvil.rpc)
  second = await startFaultyRpc(anvil.rpc)
  expected = (await run([anvil.rpc])).cache
  expect(expected.logs).toHaveLength(360)
})

afterEach(() => {
  first.inject(undefined)
  second.inject(undefined)
  first.calls.length = 0
  second.calls.length = 0
})

afterAll(async () => {
  await Promise.all([first?.close(), second?.close(), anvil?.stop()])
  await postgres?.stop()
})

/** Prefills an empty database over the given URLs. */
async function run(rpcUrls: string[], patienceMs = 10_000) {
  const databaseUrl = await postgres.createDatabase(`providers_${++databases}`)
  const events: RpcPoolEvent[] = []
  const place = { bridge: benchBridge, startBlock: 0, confirmations: 1 }
  const chain = { name: 'base_sepolia', chainId: 84532, rpcUrls, ...place }
  const pool = createRpcPool({ ...chain, observe: (event) => events.push(event) })
  const result = await prefill({ chain, databaseUrl, pool, patienceMs })
  const quarantined = events.filter((event) => event.type === 'provider-quarantined')
  return { databaseUrl, chain, result, quarantined, cache: await readCache(databaseUrl) }
}

/** Injects a fault into the first `times` calls of a method. */
function failing(times: number, method: string, fault: Fault) {
  return (call: { method: string }) => (call.method === method && times-- > 0 ? fault : undefined)
}

const faults: [string, ReturnType<typeof failing>][] = [
  ['drops connections', failing(3, 'eth_getLogs', { drop: true })],
  [
    'answers 429',
    failing(2, 'eth_getBlockByNumber', { status: 429, headers: { 'retry-after': '0' } }),
  ],
  ['answers 500', failing(2, 'eth_getLogs', { status: 500 })],
  [
    'refuses wide ranges',
    ({ method, params }: { method: string; params: unknown[] }) => {
      const { fromBlock, toBlock } = (params[0] ?? {}) as { fromBlock: string; toBlock: string }
      if (method !== 'eth_getLogs' || Number(toBlock) - Number(fromBlock) < 20) return undefined
      return { error: { code: -32005, message: 'query returned more than 100 results' } }
    },
  ],
  ['forgets transactions at first', failing(2, 'eth_getTransactionByHash', { result: null })],
] as never

test.each(faults)('a single provider that %s only costs time', async (_, fault) => {
  first.inject(fault as never)
  const { result, cache } = await run([first.url])
  expect(result).toMatchObject({ status: 'filled', logs: 360 })
  expect(cache).toEqual(expected)
})

test('a dead provider is passed over', async () => {
  first.inject(() => ({ drop: true }))
  const { result, cache } = await run([first.url, second.url])
  expect(result.status).toBe('filled')
  expect(cache).toEqual(expected)
})

test('a second provider that is there and gives no logs keeps nobody waiting', async () => {
  const refusal = { status: 429, headers: { 'retry-after': '0' } }
  second.inject(({ method }) => (method === 'eth_getLogs' ? refusal : undefined))
  const { result, cache } = await run([first.url, second.url])
  expect(result).toMatchObject({ status: 'filled', confirmedRanges: 0 })
  expect(cache).toEqual(expected)
})

test('a URL of another chain never answers for this one', async () => {
  first.inject(failing(1000, 'eth_chainId', { result: '0x1' }))
  const { cache, quarantined } = await run([first.url, second.url])
  expect(quarantined).toMatchObject([{ reason: 'it serves chain 1' }])
  expect(cache).toEqual(expected)
  expect(first.calls.every(({ method }) => method === 'eth_chainId')).toBe(true)
})

test('a provider with another hash for a final block is quarantined, and it is said', async () => {
  const foreign = `0x${'66'.repeat(32)}`
  first.inject(({ method }) =>
    method === 'eth_getBlockByNumber'
      ? { change: (block) => ({ ...(block as object), hash: foreign }) }
      : undefined,
  )
  const third = await startFaultyRpc(anvil.rpc)
  const { result, cache, quarantined } = await run([first.url, second.url, third.url])
  await third.close()
  expect(result.status).toBe('filled')
  expect(quarantined).toHaveLength(1)
  expect(quarantined[0]).toMatchObject({
    provider: expect.stringMatching(/#1$/),
    reason: expect.stringContaining(foreign),
  })
  expect(cache).toEqual(expected)
})

test('a provider that leaves out logs is convicted by its own receipt', async () => {
  first.inject(({ method }) =>
    method === 'eth_getLogs'
      ? { change: (logs) => (logs as Log[]).filter((_, at) => at % 50 !== 3) }
      : undefined,
  )
  const { result, cache, quarantined } = await run([first.url, second.url])
  expect(result).toMatchObject({ status: 'filled' })
  expect(quarantined).toMatchObject([
    { provider: expect.stringMatching(/#1$/), reason: expect.stringContaining('leaves out log') },
  ])
  expect(cache).toEqual(expected)
})

test('a provider that invents a log with its transaction convicts nobody who doesn’t have it', async () => {
  const invented = { transactionHash: `0x${'66'.repeat(32)}`, logIndex: '0x3e7' }
  first.inject(({ method }) =>
    method === 'eth_getLogs'
      ? { change: (logs) => [...(logs as Log[]), { ...(logs as Log[]).at(-1), ...invented }] }
      : undefined,
  )
  const { result, cache, quarantined } = await run([first.url, second.url])
  expect(result).toMatchObject({ status: 'filled' })
  expect(quarantined).toMatchObject([
    {
      provider: expect.stringMatching(/#1$/),
      reason: expect.stringContaining("receipts don't have"),
    },
  ])
  expect(cache).toEqual(expected)
})

test('a provider that leaves out logs of several ranges under way is convicted once, and all are fetched anew', async () => {
  first.inject(({ method }) =>
    method === 'eth_getLogs' ? { change: (logs) => (logs as Log[]).slice(1) } : undefined,
  )
  let asked = 0
  const convicted = async () => {
    while (first.count('eth_getBlockReceipts') === 0) await pause(10)
    await pause(200)
  }
  // The second's word on all ranges but one comes when that one has convicted the first.
  second.inject(({ method }) =>
    method === 'eth_getLogs' && asked++ > 0 ? { hold: convicted() } : undefined,
  )
  const { result, cache, quarantined } = await run([first.url, second.url])
  expect(result).toMatchObject({ status: 'filled' })
  expect(quarantined).toMatchObject([{ provider: expect.stringMatching(/#1$/) }])
  expect(cache).toEqual(expected)
})

test('a provider that makes logs up is convicted by the receipt of the other', async () => {
  first.inject(({ method }) =>
    method === 'eth_getLogs' ? { change: (logs) => withForgery(logs as Log[]) } : undefined,
  )
  const { cache, quarantined } = await run([first.url, second.url])
  expect(quarantined).toMatchObject([{ reason: expect.stringContaining("receipts don't have") }])
  expect(cache).toEqual(expected)
})

/** Doubles a log under an index of its own: consistent with its block, and yet not in it. */
function withForgery(logs: Log[]): Log[] {
  return logs.flatMap((log, at) => (at === 0 ? [log, { ...log, logIndex: '0x3e7' }] : [log]))
}

test('a single provider without logs is found out by the blooms of quiet blocks', async () => {
  first.inject(({ method }) => (method === 'eth_getLogs' ? { result: [] } : undefined))
  const { result, cache } = await run([first.url])
  expect(result).toMatchObject({ status: 'unfinished', reason: expect.stringContaining('trusted') })
  expect(cache.intervals).toEqual([])
  expect(cache.logs).toEqual([])
})

test('logs of another block than the header says are not written', async () => {
  first.inject(({ method }) =>
    method === 'eth_getLogs'
      ? {
          change: (logs) =>
            (logs as Log[]).map((log) => ({ ...log, blockHash: `0x${'77'.repeat(32)}` })),
        }
      : undefined,
  )
  const { result, cache } = await run([first.url])
  expect(result).toMatchObject({
    status: 'unfinished',
    reason: expect.stringContaining('names block'),
  })
  expect(cache.intervals).toEqual([])
})

test('when no provider answers, the rest is left to Ponder', async () => {
  first.inject(() => ({ status: 503 }))
  const { result } = await run([first.url], 1_000)
  expect(result).toMatchObject({
    status: 'unfinished',
    reason: 'no provider answered within 1000 ms',
    logs: 0,
  })
})

test('a cached block that the chain does not have is reported, and nothing is touched', async () => {
  const { databaseUrl, chain } = await run([second.url])
  const stale = `0x${'88'.repeat(32)}`
  await withClient(databaseUrl, (client) =>
    client.query(
      `UPDATE ponder_sync.blocks SET hash = $1
        WHERE number = (SELECT max(number) FROM ponder_sync.blocks)`,
      [stale],
    ),
  )
  const before = await readCache(databaseUrl)
  const result = await prefill({ chain, databaseUrl })
  expect(result).toMatchObject({ status: 'contradicted', cachedHash: stale })
  expect(await readCache(databaseUrl)).toEqual(before)
})

test('a rate that the operator sets is kept', async () => {
  const databaseUrl = await postgres.createDatabase(`providers_${++databases}`)
  const place = { bridge: benchBridge, startBlock: 0, confirmations: 1 }
  const rates = { requestsPerSecond: { [first.url]: 40 } }
  const chain = { name: 'base_sepolia', chainId: 84532, rpcUrls: [first.url], ...rates, ...place }
  const begun = performance.now()
  expect(await prefill({ chain, databaseUrl })).toMatchObject({ status: 'filled', logs: 360 })
  const seconds = (performance.now() - begun) / 1000
  // One second's worth may go at once; from then on the rate holds. How many requests there are
  // depends on how wide the ranges grow, but never so few that the rate has nothing to hold back.
  expect(first.calls.length).toBeGreaterThan(80)
  expect(first.calls.length).toBeLessThanOrEqual(40 * (seconds + 1))
})
