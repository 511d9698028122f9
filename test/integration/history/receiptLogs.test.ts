import { type Hex, pad } from 'viem'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { type RunningAnvil, startAnvil } from '../../../contracts/anvil/startAnvil.ts'
import { hashHeader } from '../../../core/proof/hashHeader.ts'
import { parseRpcHeader } from '../../../core/proof/parseRpcHeader.ts'
import { GROWING_ANVIL, growChain } from '../../bench/backfill/growChain.ts'
import { type PostgresUnderTest, startPostgresUnderTest } from '../../postgresUnderTest.ts'
import { type FaultyRpc, type RpcCall, startFaultyRpc } from '../../rig/faultyRpc.ts'
import { grownChainConfig } from '../fold/grownChainConfig.ts'
import { convicted, createDatabasesToFoldInto, foldOver } from './foldOver.ts'

// On a dense chain the logs come from proven receipts, except those of the first ranges.

type Log = Record<string, unknown> & { logIndex: string; transactionHash: string }
type Receipt = Record<string, unknown> & { logs: Log[]; transactionHash: string }

const EVENTS = 150 * 4
/** The dense part that no first range covers. */
const BLOCK = 120
/** `eth_getLogs` of the first three ranges, of 16 blocks, whose density is unknown. */
const FIRST_RANGES = 3

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
  await growChain(anvil, { blocks: 150, eventsPerBlock: 4, eventsPerTransaction: 2 })
  first = await startFaultyRpc(anvil.rpc)
  second = await startFaultyRpc(anvil.rpc)
  const unknown = { error: { code: -32601, message: 'the method does not exist' } }
  first.inject(({ method }) => (method === 'eth_getBlockReceipts' ? unknown : undefined))
  expected = (await run([first.url])).rows
  expect(first.count('eth_getLogs')).toBeGreaterThan(FIRST_RANGES)
  expect(expected.event).toHaveLength(EVENTS)
  reset()
})

afterEach(reset)

afterAll(async () => {
  await Promise.all([first?.close(), second?.close(), anvil?.stop()])
  await postgres?.stop()
})

function reset() {
  for (const one of [first, second]) {
    one.inject(undefined)
    one.calls.length = 0
  }
}

/** Folds the chain over the given URLs into an empty database. */
async function run(rpcUrls: string[]) {
  const databaseUrl = await createDatabase()
  return foldOver({ ...grownChainConfig(anvil.rpc), rpcUrls }, databaseUrl)
}

const isOfBlock = ({ method, params }: RpcCall) =>
  method === 'eth_getBlockReceipts' && Number(params[0]) === BLOCK

/** Changes the receipts of one block. */
function ofBlock(change: (receipts: Receipt[]) => unknown) {
  return (call: RpcCall) =>
    isOfBlock(call) ? { change: (receipts: unknown) => change(receipts as Receipt[]) } : undefined
}

/** Changes the logs in these receipts. */
const inLogs = (change: (logs: Log[]) => unknown[]) => (receipts: Receipt[]) =>
  receipts.map((receipt) => ({ ...receipt, logs: change(receipt.logs) }))

const withoutFirst = inLogs((logs) => logs.slice(1))
const withForgery = inLogs((logs) => [...logs, { ...logs[0], logIndex: '0x3e7' }])

const countFromZero = (log: Log, at: number) => ({ ...log, logIndex: `0x${at.toString(16)}` })

/** Exchanges the transactions that two receipts' logs name. */
const exchangeTransactions = ([one, other]: Receipt[]) =>
  [one, other].map((receipt, at) => ({
    ...receipt,
    logs: receipt?.logs.map((log) => ({
      ...log,
      transactionHash: [other, one][at]?.transactionHash,
    })),
  }))

function logsWithoutBlock({ method }: RpcCall) {
  if (method !== 'eth_getLogs') return undefined
  const isElsewhere = ({ blockNumber }: Log) => Number(blockNumber) !== BLOCK
  return { change: (logs: unknown) => (logs as Log[]).filter(isElsewhere) }
}

test('after the first ranges, logs come from receipts alone, so a gap in eth_getLogs does no harm', async () => {
  first.inject(logsWithoutBlock)
  const { result, rows } = await run([first.url])
  expect(result).toMatchObject({ status: 'folded', events: EVENTS })
  expect(rows).toEqual(expected)
  expect(first.count('eth_getLogs')).toBe(FIRST_RANGES)
})

test('a second provider confirms logs and senders by its receipts', async () => {
  const { result, rows } = await run([first.url, second.url])
  expect(result).toMatchObject({ status: 'folded', events: EVENTS })
  expect(result.confirmedRanges).toBe(result.ranges)
  expect(rows).toEqual(expected)
  expect(first.count('eth_getLogs') + second.count('eth_getLogs')).toBe(2 * FIRST_RANGES)
  // The second's receipts needn't be proven, so it isn't asked for headers.
  const isHeader = ({ method, params }: RpcCall) =>
    method === 'eth_getBlockByNumber' && Number(params[0]) === BLOCK
  expect([...first.calls, ...second.calls].filter(isHeader)).toHaveLength(1)
})

test.each([
  ['lack a log', withoutFirst],
  ['have an invented log', withForgery],
  ['have other data', inLogs((logs) => logs.map((log) => ({ ...log, data: `${log.data}00` })))],
  ['count the logs of each transaction', inLogs((logs) => logs.map(countFromZero))],
  ['name another block', inLogs((logs) => logs.map((log) => ({ ...log, blockNumber: '0x50' })))],
])('if a single provider’s receipts %s, eth_getLogs is asked', async (_, change) => {
  first.inject(ofBlock(change))
  const { result, rows } = await run([first.url])
  expect(result).toMatchObject({ status: 'folded', events: EVENTS })
  expect(rows).toEqual(expected)
  expect(first.count('eth_getLogs')).toBeGreaterThan(FIRST_RANGES)
})

test.each([
  ['omits', withoutFirst, 'omits log'],
  ['invents', withForgery, "receipts don't have"],
])('a second provider that %s logs is convicted by the first’s receipts', async (_, change, why) => {
  // Either may be asked first about the block.
  let honest: FaultyRpc | undefined
  for (const one of [first, second]) {
    one.inject((call) => {
      if (isOfBlock(call)) honest ??= one
      return one === honest ? undefined : ofBlock(change)(call)
    })
  }
  const { result, rows, quarantined } = await run([first.url, second.url])
  expect(result).toMatchObject({ status: 'folded' })
  expect(quarantined).toMatchObject([{ reason: expect.stringContaining(why) }])
  expect(rows).toEqual(expected)
})

test('a second provider that counts the logs of each transaction is compared by eth_getLogs', async () => {
  let honest: FaultyRpc | undefined
  for (const one of [first, second]) {
    one.inject((call) => {
      if (isOfBlock(call)) honest ??= one
      return one === honest ? undefined : ofBlock(inLogs((logs) => logs.map(countFromZero)))(call)
    })
  }
  const { result, rows, quarantined } = await run([first.url, second.url])
  expect(result).toMatchObject({ status: 'folded', events: EVENTS })
  expect(quarantined).toEqual([])
  expect(rows).toEqual(expected)
})

test('a provider with a block of its own, without logs, is convicted by the block above', async () => {
  const forged = (block: unknown) => {
    const none = '0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421'
    const other = { ...Object(block), receiptsRoot: none, logsBloom: `0x${'0'.repeat(512)}` }
    return { ...other, hash: hashHeader(parseRpcHeader(other)) }
  }
  first.inject((call) => {
    const isHeader = call.method === 'eth_getBlockByNumber' && Number(call.params[0]) === BLOCK
    return isHeader ? { change: forged } : ofBlock(() => [])(call)
  })
  const { result, rows, quarantined } = await run([first.url, second.url])
  expect(result).toMatchObject({ status: 'folded' })
  expect(quarantined).toMatchObject(convicted(1, 'has the parent'))
  expect(rows).toEqual(expected)
})

describe.each([
  ['first', () => first],
  ['second', () => second],
])('of two providers, the %s', (name, liarOf) => {
  const place = name === 'first' ? 1 : 2

  test('is convicted by its own receipts when it names another transaction for its logs', async () => {
    liarOf().inject(ofBlock(exchangeTransactions))
    const { result, rows, quarantined } = await run([first.url, second.url])
    expect(result).toMatchObject({ status: 'folded' })
    expect(quarantined).toMatchObject(convicted(place, "whose receipt doesn't have it there"))
    expect(rows).toEqual(expected)
  })

  test('is convicted by the signature if it invents senders', async () => {
    const from = pad('0xba' as Hex, { size: 20 })
    liarOf().inject(ofBlock((receipts) => receipts.map((one) => ({ ...one, from }))))
    const { result, rows, quarantined } = await run([first.url, second.url])
    expect(result).toMatchObject({ status: 'folded' })
    expect(quarantined).toMatchObject(convicted(place, 'but signed by'))
    expect(rows).toEqual(expected)
  })
})

test('a second provider without receipts is compared by eth_getLogs', async () => {
  second.inject((call) =>
    call.method === 'eth_getBlockReceipts' ? { result: null } : logsWithoutBlock(call),
  )
  const { result, rows, quarantined } = await run([first.url, second.url])
  expect(result).toMatchObject({ status: 'folded' })
  expect(quarantined).toMatchObject(convicted(2, 'omits log'))
  expect(rows).toEqual(expected)
})
