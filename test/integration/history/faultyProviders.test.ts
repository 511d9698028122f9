import { setTimeout as pause } from 'node:timers/promises'
import { type Hex, numberToHex, pad } from 'viem'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { type RunningAnvil, startAnvil } from '../../../contracts/anvil/startAnvil.ts'
import { createRpcPool } from '../../../services/chain/rpcPool/rpcPool.ts'
import type { FoldOptions } from '../../../services/indexer/fold/foldHistory.ts'
import { callRpc, GROWING_ANVIL, growChain } from '../../bench/backfill/growChain.ts'
import { type PostgresUnderTest, startPostgresUnderTest } from '../../postgresUnderTest.ts'
import {
  type Fault,
  type FaultyRpc,
  listRequestedRanges,
  type RpcCall,
  startFaultyRpc,
} from '../../rig/faultyRpc.ts'
import { grownChainConfig } from '../fold/grownChainConfig.ts'
import { withClient } from '../fold/ponderRun.ts'
import { convicted, createDatabasesToFoldInto, foldOver } from './foldOver.ts'

type Log = { blockNumber: string; logIndex: string; transactionHash: string }

let postgres: PostgresUnderTest
let anvil: RunningAnvil
let first: FaultyRpc
let second: FaultyRpc
let expected: Record<string, object[]>
let createDatabase: () => Promise<string>

beforeAll(async () => {
  postgres = await startPostgresUnderTest()
  anvil = await startAnvil({ chainId: 84532, blockTime: 0, extraArguments: GROWING_ANVIL })
  createDatabase = createDatabasesToFoldInto(postgres, grownChainConfig(anvil.rpc))
  const shape = { blocks: 60, eventsPerBlock: 6, eventsPerTransaction: 2, quietBlocks: 9 }
  await growChain(anvil, shape)
  first = await startFaultyRpc(anvil.rpc)
  second = await startFaultyRpc(anvil.rpc)
  const { result, rows } = await run([anvil.rpc])
  expect(result).toMatchObject({ status: 'folded', events: 360 })
  expected = rows
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

/** Folds the chain over the given URLs, by default into an empty database. */
async function run(
  rpcUrls: string[],
  options: Partial<FoldOptions> = {},
  known?: string,
  contracts: { vault?: Hex } = {},
) {
  const databaseUrl = known ?? (await createDatabase())
  const chain = { ...grownChainConfig(anvil.rpc), rpcUrls, ...contracts }
  return foldOver(chain, databaseUrl, options)
}

/** Injects a fault into the first `times` calls of a method. */
function failing(times: number, method: string, fault: Fault) {
  return (call: { method: string }) => (call.method === method && times-- > 0 ? fault : undefined)
}

/** Whether a call asks for the logs of more than 20 blocks. */
function isWide({ method, params }: Pick<RpcCall, 'method' | 'params'>): boolean {
  const { fromBlock, toBlock } = (params[0] ?? {}) as { fromBlock: string; toBlock: string }
  return method === 'eth_getLogs' && Number(toBlock) - Number(fromBlock) >= 20
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
    (call: RpcCall) =>
      isWide(call)
        ? { error: { code: -32005, message: 'query returned more than 100 results' } }
        : undefined,
  ],
  ['is too slow for wide ranges', (call: RpcCall) => (isWide(call) ? { status: 504 } : undefined)],
  ['answers 500 to receipts at first', failing(2, 'eth_getBlockReceipts', { status: 500 })],
  ['has no receipts of old blocks', failing(1e9, 'eth_getBlockReceipts', { result: null })],
  [
    'gives receipts of no transaction',
    failing(2, 'eth_getBlockReceipts', { result: [{ blockHash: '0x00' }] }),
  ],
  ['forgets transactions at first', failing(2, 'eth_getTransactionByHash', { result: null })],
] as never

test.each(faults)('a single provider that %s only costs time', async (_, fault) => {
  first.inject(fault as never)
  const { result, rows } = await run([first.url])
  expect(result).toMatchObject({ status: 'folded', events: 360 })
  expect(rows).toEqual(expected)
})

test('senders come from receipts, or from single transactions if no provider offers receipts', async () => {
  await run([first.url])
  const [receipts, single] = [
    first.count('eth_getBlockReceipts'),
    first.count('eth_getTransactionByHash'),
  ]
  expect(receipts).toBeGreaterThan(40)

  first.calls.length = 0
  const unknown = { error: { code: -32601, message: 'the method does not exist' } }
  first.inject(({ method }) => (method === 'eth_getBlockReceipts' ? unknown : undefined))
  const { result, rows } = await run([first.url])
  expect(result).toMatchObject({ status: 'folded', events: 360 })
  expect(rows).toEqual(expected)
  // Three per block.
  expect(first.count('eth_getTransactionByHash')).toBe(single + 3 * receipts)
})

test('a dead provider is skipped', async () => {
  first.inject(() => ({ drop: true }))
  const { result, rows } = await run([first.url, second.url])
  expect(result.status).toBe('folded')
  expect(rows).toEqual(expected)
})

test('a second provider that returns no logs causes no delay', async () => {
  const refusal = { status: 429, headers: { 'retry-after': '0' } }
  second.inject(({ method }) => (method === 'eth_getLogs' ? refusal : undefined))
  const { result, rows } = await run([first.url, second.url])
  expect(result).toMatchObject({ status: 'folded', confirmedRanges: 0 })
  expect(rows).toEqual(expected)
})

test('a provider that has deleted old logs doesn’t narrow the ranges of the one that has them', async () => {
  const pruned = { error: { code: 4444, message: 'pruned history unavailable' } }
  first.inject(({ method }) => (method === 'eth_getLogs' ? pruned : undefined))
  const { result, rows } = await run([first.url, second.url])
  expect(result).toMatchObject({ status: 'folded', confirmedRanges: 0 })
  expect(rows).toEqual(expected)
  expect(listRequestedRanges(second.calls).length).toBeLessThan(40)
})

test('a URL of another chain never answers for this one', async () => {
  first.inject(failing(1000, 'eth_chainId', { result: '0x1' }))
  const { rows, quarantined } = await run([first.url, second.url])
  expect(quarantined).toMatchObject([{ reason: 'it serves chain 1' }])
  expect(rows).toEqual(expected)
  expect(first.calls.every(({ method }) => method === 'eth_chainId')).toBe(true)
})

test('a provider with another hash for a final block is quarantined and reported', async () => {
  const foreign = `0x${'66'.repeat(32)}`
  first.inject(({ method }) =>
    method === 'eth_getBlockByNumber'
      ? { change: (block) => ({ ...(block as object), hash: foreign }) }
      : undefined,
  )
  const third = await startFaultyRpc(anvil.rpc)
  const { result, rows, quarantined } = await run([first.url, second.url, third.url])
  await third.close()
  expect(result.status).toBe('folded')
  expect(quarantined).toHaveLength(1)
  expect(quarantined[0]).toMatchObject({
    provider: expect.stringMatching(/#1$/),
    reason: expect.stringContaining(foreign),
  })
  expect(rows).toEqual(expected)
})

type Block = { number: string; timestamp: string; transactions: unknown[] }

function later(block: unknown, seconds: number): Block {
  const { timestamp } = block as Block
  return { ...(block as Block), timestamp: `0x${(Number(timestamp) + seconds).toString(16)}` }
}

const aDay = 86_400

test('a provider with another time for a final block is quarantined if the hash proves the other’s', async () => {
  first.inject(({ method }) =>
    method === 'eth_getBlockByNumber' ? { change: (block) => later(block, aDay) } : undefined,
  )
  const { result, rows, quarantined } = await run([first.url, second.url])
  expect(result.status).toBe('folded')
  expect(quarantined).toMatchObject([{ provider: expect.stringMatching(/#1$/) }])
  expect(rows).toEqual(expected)
})

test('a header that doesn’t hash to its block’s hash is rejected, even without an alternative', async () => {
  // The time is plausible; only the hash shows that it is false.
  const numbers = (expected.event as { block_number: number }[]).map((row) => row.block_number)
  const change = (block: unknown) =>
    Number((block as Block).number) === Math.min(...numbers) ? later(block, -1) : block
  first.inject(({ method }) => (method === 'eth_getBlockByNumber' ? { change } : undefined))
  const { result, rows } = await run([first.url], { totalTimeoutMs: 1_000 })
  expect(result).toMatchObject({ status: 'left', events: 0 })
  expect(rows).toEqual({})
})

test('whether headers are verifiable doesn’t depend on one missed answer, and is remembered', async () => {
  // Its headers don't verify, and within the first range they are a second late.
  const late = (block: unknown) => {
    const { extraData, number } = block as { extraData: string; number: string }
    return { ...later(block, Number(number) < 15 ? 1 : 0), extraData: `${extraData}00` }
  }
  first.inject(({ method, params }) =>
    method === 'eth_getBlockByNumber' && params[0] !== 'latest' ? { change: late } : undefined,
  )
  second.inject(failing(1, 'eth_getBlockByNumber', { status: 503 }))
  const rpc = createRpcPool({ chainId: 84532, rpcUrls: [first.url, second.url] })
  const { result, rows } = await run([first.url, second.url], { rpc })
  expect(result).toMatchObject({ status: 'folded', events: 360 })
  expect(rows).toEqual(expected)

  second.inject(() => ({ drop: true }))
  const again = await run([first.url, second.url], { rpc, totalTimeoutMs: 1_000 })
  expect(again.result).toMatchObject({ status: 'left', events: 0 })
})

describe('on a chain whose headers can’t be verified', () => {
  const unproven = (block: unknown) => ({ ...(block as object), mixHash: `0x${'55'.repeat(32)}` })
  const changed = (change: (block: unknown) => unknown) => (call: { method: string }) =>
    call.method === 'eth_getBlockByNumber' ? { change } : undefined

  test('a provider with other times is outvoted', async () => {
    const third = await startFaultyRpc(anvil.rpc)
    first.inject(changed((block) => unproven(later(block, aDay))))
    second.inject(changed(unproven))
    third.inject(changed(unproven))
    const { result, rows, quarantined } = await run([first.url, second.url, third.url])
    await third.close()
    expect(result.status).toBe('folded')
    expect(quarantined).toMatchObject([{ provider: expect.stringMatching(/#1$/) }])
    expect(rows).toEqual(expected)
  })

  test('a time beyond Ponder’s checkpoints ends the fold of a single provider with a reason', async () => {
    first.inject(changed((block) => unproven(later(block, 9_999_999_999))))
    const { result } = await run([first.url])
    expect(result).toMatchObject({ status: 'left', reason: expect.stringContaining('unusable') })
  })

  test('times before those of folded blocks end the fold of a single provider, too', async () => {
    const upTo200 = ({ method }: { method: string }) =>
      method === 'eth_blockNumber' ? { result: '0xe6' } : undefined
    const ofDayLater = changed((block) => unproven(later(block, aDay)))
    first.inject((call) => upTo200(call) ?? ofDayLater(call))
    const { databaseUrl, result: before } = await run([first.url])
    expect(before).toMatchObject({ status: 'folded', startBlock: 201 })
    first.inject(changed(unproven))
    const { result } = await run([first.url], {}, databaseUrl)
    expect(result).toMatchObject({ status: 'left', startBlock: 201 })
    expect(result).toMatchObject({ reason: expect.stringContaining("before the previous block's") })
  })
})

test.each([
  ['logs', 'eth_getLogs', () => [{ address: 'none' }]],
  ['transactions', 'eth_getTransactionByHash', () => ({ hash: 'none' })],
])('nothing is written from a provider whose %s can’t be read', async (_, method, change) => {
  first.inject((call) => (call.method === method ? { change } : undefined))
  const { result, rows } = await run([first.url, second.url])
  expect(result).toMatchObject({ status: 'folded' })
  expect(first.count(method)).toBeGreaterThan(0)
  expect(rows).toEqual(expected)
})

test('a provider that omits logs is convicted by its own receipt', async () => {
  first.inject(({ method }) =>
    method === 'eth_getLogs'
      ? { change: (logs) => (logs as Log[]).filter((_, at) => at % 50 !== 3) }
      : undefined,
  )
  const { result, rows, quarantined } = await run([first.url, second.url])
  expect(result).toMatchObject({ status: 'folded' })
  expect(quarantined).toMatchObject(convicted(1, 'omits log'))
  expect(rows).toEqual(expected)
})

test('a log with an invented transaction doesn’t convict the providers that lack it', async () => {
  const invented = { transactionHash: `0x${'66'.repeat(32)}`, logIndex: '0x3e7' }
  first.inject(({ method }) =>
    method === 'eth_getLogs'
      ? { change: (logs) => [...(logs as Log[]), { ...(logs as Log[]).at(-1), ...invented }] }
      : undefined,
  )
  const { result, rows, quarantined } = await run([first.url, second.url])
  expect(result).toMatchObject({ status: 'folded' })
  expect(quarantined).toMatchObject(convicted(1, "receipts don't have"))
  expect(rows).toEqual(expected)
})

test('real logs that were not requested convict no provider that lacks them', async () => {
  const all = (await callRpc(anvil.rpc, 'eth_getLogs', [{ fromBlock: '0x0' }])) as Log[]
  second.inject(({ method }) => (method === 'eth_getLogs' ? { result: all } : undefined))
  const { result, rows, quarantined } = await run([first.url, second.url])
  expect(result).toMatchObject({ status: 'folded', events: 360 })
  expect(quarantined).toEqual([])
  expect(rows).toEqual(expected)
})

/** Replaces each log's transaction hash by that of another transaction of the block. */
function exchangeTransactions(logs: Log[]): Log[] {
  return logs.map((log) => {
    const there = logs.filter(({ blockNumber }) => blockNumber === log.blockNumber)
    const hashes = [...new Set(there.map(({ transactionHash }) => transactionHash))]
    const next = hashes.indexOf(log.transactionHash) + 1
    return { ...log, transactionHash: hashes[next % hashes.length] as string }
  })
}

function renumber(logs: Log[]): Log[] {
  return logs.map((log) => ({
    ...log,
    logIndex: `0x${(Number(log.logIndex) + 1000).toString(16)}`,
  }))
}

describe.each([
  ['first', () => first],
  ['second', () => second],
])('of two providers, the %s', (name, liarOf) => {
  const place = name === 'first' ? 1 : 2

  test.each([
    ['another transaction of the block', exchangeTransactions],
    ['another index', renumber],
  ])('is convicted by its own receipts when it names %s for its logs', async (_, change) => {
    liarOf().inject(({ method }) =>
      method === 'eth_getLogs' ? { change: (logs) => change(logs as Log[]) } : undefined,
    )
    const { result, rows, quarantined } = await run([first.url, second.url])
    expect(result).toMatchObject({ status: 'folded' })
    expect(quarantined).toMatchObject(convicted(place, "whose receipt doesn't have it there"))
    expect(rows).toEqual(expected)
  })

  const senderMethods = ['eth_getBlockReceipts', 'eth_getTransactionByHash']
  const falsely = (one: object) => ({ ...one, from: pad('0xba', { size: 20 }) })
  const withFalseSenders = (answer: unknown) =>
    Array.isArray(answer) ? answer.map(falsely) : falsely(answer as object)

  test('is convicted by the signature if it invents senders', async () => {
    liarOf().inject(({ method }) =>
      senderMethods.includes(method) ? { change: withFalseSenders } : undefined,
    )
    const { result, rows, quarantined } = await run([first.url, second.url])
    expect(result).toMatchObject({ status: 'folded' })
    expect(quarantined).toMatchObject(convicted(place, 'but signed by'))
    expect(rows).toEqual(expected)
  })
})

test('receipts that count the logs of each transaction don’t convict their node when the other lies', async () => {
  type Receipt = { logs: Log[] }
  const inReceipt = (change: (log: Log, at: number) => Log) => (receipt: unknown) => ({
    ...(receipt as Receipt),
    logs: (receipt as Receipt).logs.map(change),
  })
  const ofEach = (change: (log: Log, at: number) => Log) => (call: RpcCall) => {
    const one = inReceipt(change)
    if (call.method === 'eth_getTransactionReceipt') return { change: one }
    if (call.method === 'eth_getBlockReceipts')
      return { change: (all: unknown) => (all as object[]).map(one) }
    return undefined
  }
  // Its receipts agree with what it invents of the later transactions of a block.
  const moved = (log: Log) => (Number(log.logIndex) < 2 ? log : (renumber([log])[0] as Log))
  const lie = ofEach(moved)
  first.inject((call) =>
    call.method === 'eth_getLogs' ? { change: (logs) => (logs as Log[]).map(moved) } : lie(call),
  )
  second.inject(ofEach((log, at) => ({ ...log, logIndex: `0x${at.toString(16)}` })))
  const { result, rows, quarantined } = await run([first.url, second.url])
  const reason = expect.stringContaining('different transactions or indices')
  expect([quarantined, result]).toMatchObject([[], { status: 'left', events: 0, reason }])
  expect(rows).toEqual({})
})

test('if two providers contradict each other and neither itself, nothing is written', async () => {
  first.inject(({ method }) => {
    if (method === 'eth_getTransactionReceipt') return { result: null }
    if (method !== 'eth_getLogs') return undefined
    return { change: (logs) => exchangeTransactions(logs as Log[]) }
  })
  const { result, rows, quarantined } = await run([first.url, second.url])
  const reason = expect.stringContaining('different transactions or indices')
  expect(result).toMatchObject({ status: 'left', events: 0, reason })
  expect(quarantined).toEqual([])
  expect(rows).toEqual({})
})

test('senders on which two differ are rejected if no signature can be read', async () => {
  const unsigned = (one: object, from?: Hex) => ({ ...one, s: '0x1', ...(from && { from }) })
  const answering = (from?: Hex) => (call: { method: string }) => {
    if (call.method === 'eth_getTransactionByHash')
      return { change: (one: unknown) => unsigned(one as object, from) }
    if (call.method !== 'eth_getBlockReceipts') return undefined
    return { change: (all: unknown) => (all as object[]).map((one) => unsigned(one, from)) }
  }
  first.inject(answering(pad('0xba', { size: 20 })))
  second.inject(answering())
  const { result, rows } = await run([first.url, second.url])
  const reason = expect.stringMatching(/transaction 0x.* is sent by/)
  expect(result).toMatchObject({ status: 'left', events: 0, reason })
  expect(rows).toEqual({})
})

describe('of three providers, one that contradicts the others but never itself is outvoted', () => {
  let third: FaultyRpc
  beforeAll(async () => {
    third = await startFaultyRpc(anvil.rpc)
  })
  afterAll(() => third?.close())
  const places = [1, 2, 3]
  /** URLs with the dishonest provider at this position. */
  const listWith = (place: number) =>
    [second.url, third.url].toSpliced(place - 1, 0, first.url) as [string, string, string]

  test.each(places)('about its logs’ transactions, at position %i', async (place) => {
    first.inject(({ method }) => {
      if (method === 'eth_getTransactionReceipt') return { result: null }
      if (method !== 'eth_getLogs') return undefined
      return { change: (logs) => exchangeTransactions(logs as Log[]) }
    })
    const { result, rows, quarantined } = await run(listWith(place))
    expect(result).toMatchObject({ status: 'folded', events: 360 })
    expect(rows).toEqual(expected)
    // The last provider may never be used.
    if (place < 3) expect(quarantined).toMatchObject(convicted(place, 'its logs'))
  })

  test('about the logs, if no receipt proves them', async () => {
    const none = { result: null }
    const unprovable = ({ method }: { method: string }) =>
      /^eth_get(TransactionReceipt|BlockReceipts)$/.test(method) ? none : undefined
    first.inject((call) => {
      if (call.method !== 'eth_getLogs') return unprovable(call)
      return { change: (logs) => (logs as Log[]).filter((_, at) => at % 50 !== 3) }
    })
    for (const one of [second, third]) one.inject(unprovable)
    const { result, rows, quarantined } = await run(listWith(1))
    third.inject(undefined)
    expect(result).toMatchObject({ status: 'folded', events: 360 })
    expect(quarantined).toMatchObject(convicted(1, 'its logs'))
    expect(rows).toEqual(expected)
  })

  test('about senders, if no signature proves them', async () => {
    const answering = (from?: Hex) => (call: { method: string }) => {
      const unsigned = (one: object) => ({ ...one, s: '0x1', ...(from && { from }) })
      if (call.method === 'eth_getTransactionByHash')
        return { change: (one: unknown) => unsigned(one as object) }
      if (call.method !== 'eth_getBlockReceipts') return undefined
      return { change: (all: unknown) => (all as object[]).map(unsigned) }
    }
    first.inject(answering(pad('0xba', { size: 20 })))
    for (const one of [second, third]) one.inject(answering())
    const { result, rows, quarantined } = await run(listWith(1))
    third.inject(undefined)
    expect(result).toMatchObject({ status: 'folded', events: 360 })
    expect(quarantined).toMatchObject(convicted(1, 'its senders'))
    expect(rows).toEqual(expected)
  })
})

test('oversized answers from one provider don’t end a fold while the honest one is unreachable', async () => {
  const mostBytes = 256 * 1024
  const endless = 'x'.repeat(2 * mostBytes)
  first.inject(({ method }) => (method === 'eth_getLogs' ? { result: endless } : undefined))
  // It comes back only once the other one can't be sent narrower requests in any concurrent range.
  const isOfOneBlock = ({ method, params }: RpcCall) => {
    const { fromBlock, toBlock } = (params[0] ?? {}) as Record<string, string>
    return method === 'eth_getLogs' && fromBlock === toBlock
  }
  const isBack = () => first.calls.filter(isOfOneBlock).length > 20
  const away = { status: 429, headers: { 'retry-after': '0' } }
  second.inject(() => (isBack() ? undefined : away))
  const chain = { chainId: 84532, rpcUrls: [first.url, second.url], mostBytes }
  const { result, rows } = await run(chain.rpcUrls, { rpc: createRpcPool(chain) })
  expect(result).toMatchObject({ status: 'folded', events: 360 })
  expect(rows).toEqual(expected)
})

test('a provider that omits logs of concurrent ranges is convicted once, and all of them are fetched again', async () => {
  first.inject(({ method }) =>
    method === 'eth_getLogs' ? { change: (logs) => (logs as Log[]).slice(1) } : undefined,
  )
  let asked = 0
  const convicted = async () => {
    while (first.count('eth_getBlockReceipts') === 0) await pause(10)
    await pause(200)
  }
  // The second provider answers for all other ranges only once one range has convicted the first.
  second.inject(({ method }) =>
    method === 'eth_getLogs' && asked++ > 0 ? { hold: convicted() } : undefined,
  )
  const { result, rows, quarantined } = await run([first.url, second.url])
  expect(result).toMatchObject({ status: 'folded' })
  expect(quarantined).toMatchObject([{ provider: expect.stringMatching(/#1$/) }])
  expect(rows).toEqual(expected)
})

test('a provider that invents logs is convicted by the other’s receipt', async () => {
  first.inject(({ method }) =>
    method === 'eth_getLogs' ? { change: (logs) => withForgery(logs as Log[]) } : undefined,
  )
  const { rows, quarantined } = await run([first.url, second.url])
  expect(quarantined).toMatchObject([{ reason: expect.stringContaining("receipts don't have") }])
  expect(rows).toEqual(expected)
})

test('a provider that attributes the bridge’s logs to the vault is convicted', async () => {
  const vault = pad('0xfa', { size: 20 })
  const unset = { logsBloom: `0x${'0'.repeat(512)}` }
  first.inject(({ method }) => {
    if (method === 'eth_getBlockByNumber')
      return { change: (block) => ({ ...Object(block), ...unset }) }
    if (method !== 'eth_getLogs') return undefined
    const misnamed = (log: Log, at: number) => (at % 5 === 3 ? { ...log, address: vault } : log)
    return { change: (logs) => (logs as Log[]).map(misnamed) }
  })
  const { rows, quarantined } = await run([first.url, second.url], {}, undefined, { vault })
  expect(quarantined).toMatchObject(convicted(1, "receipts don't have"))
  expect(rows).toEqual(expected)
})

/** Duplicates a log under a new index: consistent with its block, but not in it. */
function withForgery(logs: Log[]): Log[] {
  return logs.flatMap((log, at) => (at === 0 ? [log, { ...log, logIndex: '0x3e7' }] : [log]))
}

test('a single provider that returns no logs is convicted by the blooms of blocks without logs', async () => {
  first.inject(({ method }) => (method === 'eth_getLogs' ? { result: [] } : undefined))
  const { result, rows } = await run([first.url])
  expect(result).toMatchObject({ status: 'left', reason: expect.stringContaining('trusted') })
  expect(rows).toEqual({})
  expect(result.startBlock).toBe(0)
})

test('logs with another block hash than the header’s aren’t written', async () => {
  first.inject(({ method }) =>
    method === 'eth_getLogs'
      ? {
          change: (logs) =>
            (logs as Log[]).map((log) => ({ ...log, blockHash: `0x${'77'.repeat(32)}` })),
        }
      : undefined,
  )
  const { result, rows } = await run([first.url])
  expect(result).toMatchObject({
    status: 'left',
    reason: expect.stringContaining('has block hash'),
  })
  expect(rows).toEqual({})
})

test('when no provider answers, the rest is left to Ponder', async () => {
  first.inject(() => ({ status: 503 }))
  const { result } = await run([first.url], { totalTimeoutMs: 1_000 })
  expect(result).toMatchObject({
    status: 'left',
    reason: expect.stringMatching(
      /^no provider of base_sepolia answered within 1000 ms \(127\.0\.0\.1:\d+#1: HTTP 503\): check that its nodes run, and rpcUrls$/,
    ),
    events: 0,
  })
})

test('rows from a provider that is convicted later are dropped and folded again', async () => {
  const done: number[] = []
  const committed = liesUntilCommitted()
  const { result, rows, quarantined } = await run([first.url, second.url], {
    onProgress: ({ doneBlocks }) => {
      done.push(doneBlocks)
      committed.resolve()
    },
  })
  expect(result).toMatchObject({ status: 'folded' })
  expect(quarantined).toMatchObject([{ provider: expect.stringMatching(/#1$/) }])
  expect(done.filter((blocks, at) => at > 0 && blocks <= done[at - 1]!)).not.toEqual([])
  expect(rows).toEqual(expected)
})

test('rows that readers see are dropped too, and the chain is hidden until it is complete again', async () => {
  // Tables of a Ponder for which block 200 was final.
  first.inject(({ method }) => (method === 'eth_blockNumber' ? { result: '0xe6' } : undefined))
  const { databaseUrl, schema, result: before } = await run([first.url])
  expect(before).toMatchObject({ status: 'folded', startBlock: 201 })
  const committed = liesUntilCommitted()
  const projection = await withClient(databaseUrl, async (client) => {
    await client.query(
      `UPDATE "${schema}"._ponder_meta SET value = jsonb_set(value, '{is_ready}', '1')`,
    )
    await client.query('UPDATE app.projection SET active = true')
    const onProgress = () => committed.resolve()
    const { result, rows } = await run([first.url, second.url], { onProgress }, databaseUrl)
    expect(result).toMatchObject({ status: 'folded' })
    expect(rows).toEqual(expected)
    const orphans = await client.query('SELECT DISTINCT cause FROM app.orphaned_event')
    expect(orphans.rows).toEqual([{ cause: 'rebuild' }])
    return (await client.query('SELECT active, state, ready_at FROM app.projection')).rows
  })
  expect(projection).toEqual([{ active: false, state: 'backfilling', ready_at: null }])
})

/**
 * The first provider omits logs. The second returns none to compare with until a page is committed; only then does any
 * other range complete.
 */
function liesUntilCommitted() {
  const committed = Promise.withResolvers<void>()
  let isCommitted = false
  committed.promise.then(() => {
    isCommitted = true
  })
  let asked = 0
  first.inject(({ method }) => {
    if (method !== 'eth_getLogs') return undefined
    const hold = asked++ === 0 ? Promise.resolve() : committed.promise
    return { hold, change: (logs) => (logs as Log[]).slice(0, -1) }
  })
  const refusal = { error: { code: -32000, message: 'not now' } }
  second.inject(({ method }) => (method === 'eth_getLogs' && !isCommitted ? refusal : undefined))
  return committed
}

test('the configured rate limit is kept', async () => {
  const begun = performance.now()
  const rpc = createRpcPool({
    chainId: 84532,
    rpcUrls: [first.url],
    requestsPerSecond: { [first.url]: 40 },
  })
  const { result } = await run([first.url], { rpc })
  expect(result).toMatchObject({ status: 'folded', events: 360 })
  const seconds = (performance.now() - begun) / 1000
  // A burst of one second's requests is allowed. The number of requests depends on how wide the ranges grow, but it
  // always exceeds the burst.
  expect(first.calls.length).toBeGreaterThan(80)
  expect(first.calls.length).toBeLessThanOrEqual(40 * (seconds + 1))
})

test('one provider decides neither which blocks are final nor how many intents there are', async () => {
  // Asked first: it calls the latest blocks final, and has the bridge count intents that nobody created.
  first.inject(({ method }) => {
    if (method === 'eth_blockNumber') return { change: (head) => numberToHex(Number(head) + 30) }
    return method === 'eth_call' ? { result: pad('0xffff') } : undefined
  })
  const { result, rows } = await run([first.url, second.url])
  const head = Number(await callRpc(anvil.rpc, 'eth_blockNumber', []))
  expect(result).toMatchObject({ status: 'folded', startBlock: head - 30 + 1 })
  expect(rows).toEqual(expected)
})
