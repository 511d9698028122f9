import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import {
  afterAll,
  afterEach,
  beforeAll,
  beforeEach,
  describe,
  expect,
  onTestFinished,
  test,
} from 'vitest'
import { type RunningAnvil, startAnvil } from '../../../contracts/anvil/startAnvil.ts'
import { hashHeader } from '../../../core/proof/hashHeader.ts'
import { parseRpcHeader } from '../../../core/proof/parseRpcHeader.ts'
import { hasVerifiableHeaders } from '../../../services/chain/rpcPool/hasVerifiableHeaders.ts'
import { createRpcPool, type RpcPool } from '../../../services/chain/rpcPool/rpcPool.ts'
import type { RpcPoolEvent } from '../../../services/chain/rpcPool/rpcPoolEvent.ts'
import { type RpcProxy, serveRpcProxy } from '../../../services/chain/rpcPool/serveRpcProxy.ts'
import { callRpc } from '../../bench/backfill/growChain.ts'
import { type FaultyRpc, startFaultyRpc } from '../../rig/faultyRpc.ts'

type Block = { number: string; hash: string }

let anvil: RunningAnvil
let first: FaultyRpc
let second: FaultyRpc
let proxy: RpcProxy
let events: RpcPoolEvent[]

beforeAll(async () => {
  anvil = await startAnvil({ chainId: 84532, blockTime: 0 })
  await callRpc(anvil.rpc, 'anvil_mine', ['0x50'])
})

beforeEach(async () => {
  first = await startFaultyRpc(anvil.rpc)
  second = await startFaultyRpc(anvil.rpc)
  // Requests that an earlier test left unanswered fail later, and are none of the next one's.
  const own: RpcPoolEvent[] = []
  events = own
  const observe = (event: RpcPoolEvent) => own.push(event)
  const pool = createRpcPool({ chainId: 84532, rpcUrls: [first.url, second.url], observe })
  proxy = await serveRpcProxy({ pool, observe, totalTimeoutMs: 1_500 })
})

afterEach(() => Promise.all([proxy.close(), first.close(), second.close()]))
afterAll(() => anvil.stop())

const request = (method: string, params: unknown[] = []) =>
  callRpc(proxy.urls(1)[0]!, method, params)
const head = async (isFull = false) =>
  (await request('eth_getBlockByNumber', ['latest', isFull])) as Block
const mine = (blocks = 1) => callRpc(anvil.rpc, 'anvil_mine', [`0x${blocks.toString(16)}`])
const isHead = ({ method, params }: { method: string; params: unknown[] }) =>
  method === 'eth_getBlockByNumber' && params[0] === 'latest'

test('sequential requests all use the first URL', async () => {
  const patient = await startWithTimeout(first.url, PATIENT_MS)
  const [url] = patient.urls(1)
  for (let count = 0; count < 5; count++)
    await callRpc(url!, 'eth_getBlockByNumber', ['latest', false])
  expect(first.count('eth_getBlockByNumber')).toBe(5)
  expect(second.calls).toEqual([])
  await patient.close()
})

test('every request of a batch is answered with its id', async () => {
  const response = await fetch(proxy.urls(3)[2]!, {
    method: 'POST',
    body: JSON.stringify([
      { jsonrpc: '2.0', id: 7, method: 'eth_chainId', params: [] },
      { jsonrpc: '2.0', id: 'x', method: 'eth_getBlockByNumber', params: ['0x5', false] },
    ]),
  })
  expect(await response.json()).toMatchObject([
    { id: 7, result: '0x14a34' },
    { id: 'x', result: { number: '0x5' } },
  ])
})

test('fails over in time from a URL that never answers, at its first request and later', async () => {
  const hole = createServer(() => {})
  await new Promise<void>((resolve) => hole.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(hole.address() as AddressInfo).port}`
  const blockCall = (block: string) => ['eth_getBlockByNumber', [block, false]] as const
  const overHole = await startWithTimeout(url, LONG_TIMEOUT_MS)
  const began = performance.now()
  const block = await callRpc(overHole.urls(1)[0]!, ...blockCall('latest'))
  expect(block).toMatchObject({ number: expect.any(String) })
  expect(performance.now() - began).toBeLessThan(LONG_TIMEOUT_MS)
  await overHole.close()
  hole.closeAllConnections()
  hole.close()

  const overFirst = await startWithTimeout(first.url, LONG_TIMEOUT_MS)
  const [answering] = overFirst.urls(1)
  await callRpc(answering!, ...blockCall('latest'))
  first.inject(() => ({ hold: new Promise(() => {}) }))
  for (const block of ['latest', '0x5']) {
    const from = performance.now()
    expect(await callRpc(answering!, ...blockCall(block))).not.toBeNull()
    expect(performance.now() - from).toBeLessThan(LONG_TIMEOUT_MS)
  }
  await overFirst.close()
})

/** Half of it is for the first URL. The other half suffices for the second even on a busy machine. */
const LONG_TIMEOUT_MS = 5_000

/** So long that a busy machine alone doesn't make the second URL be asked. */
const PATIENT_MS = 60_000

/** A proxy over this URL, then the second. */
function startWithTimeout(url: string, totalTimeoutMs: number): Promise<RpcProxy> {
  const pool = createRpcPool({ chainId: 84532, rpcUrls: [url, second.url] })
  return serveRpcProxy({ pool, totalTimeoutMs })
}

test('when no URL ever answers, the last head is served after `totalTimeoutMs`', async () => {
  const last = await head()
  for (const node of [first, second]) node.inject(() => ({ hold: new Promise(() => {}) }))
  const began = performance.now()
  expect(await head()).toEqual(last)
  // `totalTimeoutMs` is 1.5 s.
  expect(performance.now() - began).toBeLessThan(15_000)
})

test('when the first URL dies, the second answers and the first backs off', async () => {
  const triedAt: number[] = []
  first.inject(() => {
    triedAt.push(performance.now())
    return { drop: true }
  })
  const seen = await head()
  expect(seen.hash).toBe(
    ((await callRpc(anvil.rpc, 'eth_getBlockByNumber', ['latest', false])) as Block).hash,
  )
  for (let count = 0; count < 20; count++) await head()
  const backoffs = events.flatMap((event) =>
    event.type === 'provider-failed' ? event.backoffMs : [],
  )
  expect(backoffs.length).toBe(triedAt.length)
  for (const [at, next] of triedAt.slice(1).entries())
    expect(next - triedAt[at]!).toBeGreaterThanOrEqual(backoffs[at]!)
})

test('Retry-After is honoured while the other URL answers', async () => {
  first.inject(() => ({ status: 429, headers: { 'retry-after': '20' } }))
  await head()
  expect(events).toContainEqual(expect.objectContaining({ reason: 'HTTP 429', backoffMs: 20_000 }))
  const before = first.calls.length
  for (let count = 0; count < 5; count++) await head()
  expect(first.calls.length).toBe(before)
})

test('a block that one URL lacks is fetched from the other', async () => {
  const { hash } = await head()
  first.inject(({ method }) => (method === 'eth_getBlockByHash' ? { result: null } : undefined))
  expect(await request('eth_getBlockByHash', [hash, true])).toMatchObject({ hash })
})

test('a block that no URL has is null at once', async () => {
  expect(await request('eth_getBlockByHash', [`0x${'12'.repeat(32)}`, false])).toBeNull()
})

test('the chain’s own error is returned unchanged', async () => {
  const reverting = `0x${'99'.repeat(20)}`
  await callRpc(anvil.rpc, 'anvil_setCode', [reverting, '0x5f5ffd'])
  const patient = await startWithTimeout(first.url, PATIENT_MS)
  const call = callRpc(patient.urls(1)[0]!, 'eth_call', [{ to: reverting }, 'latest'])
  await expect(call).rejects.toThrow(/revert/i)
  expect(second.calls).toEqual([])
  await patient.close()
})

test('an old head of a lagging URL is never served', async () => {
  const old = await head()
  await mine(3)
  const recent = await head()
  first.inject((call) => (isHead(call) ? { result: old } : undefined))
  expect((await head()).hash).toBe(recent.hash)
  second.inject((call) => (isHead(call) ? { result: old } : undefined))
  expect((await head()).hash, 'both lag').toBe(recent.hash)
})

test('an older head whose check takes long is never served after a newer one', async () => {
  const alone = await startWithTimeout(first.url, PATIENT_MS)
  const [url] = alone.urls(1)
  const known = (await callRpc(url!, 'eth_getBlockByNumber', ['latest', true])) as Block
  const served: number[] = []
  const poll = async () => {
    const { number } = (await callRpc(url!, 'eth_getBlockByNumber', ['latest', true])) as Block
    served.push(Number(number))
  }
  const checkBegun = Promise.withResolvers<void>()
  const slowAnswer = Promise.withResolvers<void>()
  first.inject(({ params }) => {
    if (params[0] !== known.number) return undefined
    first.inject(undefined)
    checkBegun.resolve()
    return { hold: slowAnswer.promise }
  })
  await mine(3)
  const early = poll()
  await checkBegun.promise
  await mine(3)
  const late = poll()
  // Time for the later poll to overtake.
  for (let count = 0; count < 10; count++) await callRpc(url!, 'eth_gasPrice', [])
  slowAnswer.resolve()
  await Promise.all([early, late])
  await poll()
  expect(served).toEqual(served.toSorted((one, other) => one - other))
  expect(served.at(-1)).toBe(Number(known.number) + 6)
  await alone.close()
})

test('a real reorg is served', async () => {
  await mine(2)
  const before = await head()
  await callRpc(anvil.rpc, 'anvil_rollback', [1])
  await callRpc(anvil.rpc, 'evm_increaseTime', [100])
  await mine()
  const after = await head()
  expect(after.number).toBe(before.number)
  expect(after.hash).not.toBe(before.hash)
})

describe('the logs of a block', () => {
  /** Contracts that log whatever they are called with. */
  const [ours, other] = [`0x${'a1'.repeat(20)}`, `0x${'b2'.repeat(20)}`]
  const LOGS_ITS_INPUT = '0x366000600037366000a000'
  let third: FaultyRpc
  let trio: RpcProxy
  let pool: RpcPool

  beforeAll(async () => {
    for (const address of [ours, other])
      await callRpc(anvil.rpc, 'anvil_setCode', [address, LOGS_ITS_INPUT])
  })
  beforeEach(async () => {
    third = await startFaultyRpc(anvil.rpc)
    pool = createRpcPool({ chainId: 84532, rpcUrls: [first.url, second.url, third.url] })
    trio = await serveRpcProxy({ pool, contracts: [ours] })
  })
  afterEach(() => Promise.all([trio.close(), third.close()]))

  type Log = { address: string; data: string; blockHash: string }
  const logsOf = (hash: string, by = trio) =>
    callRpc(by.urls(1)[0]!, 'eth_getLogs', [{ blockHash: hash }]) as Promise<Log[]>
  const changeLogs = (change: (logs: Log[]) => Log[]) => (call: { method: string }) =>
    call.method === 'eth_getLogs' ? { change: (logs: unknown) => change(logs as Log[]) } : undefined
  const quarantined = () =>
    pool.providers.flatMap(({ quarantine }, at) =>
      quarantine ? [`${at}: ${quarantine.ground}`] : [],
    )

  /** Mines a block in which both contracts log, ours twice. */
  async function logBoth(): Promise<Block> {
    const [from] = (await callRpc(anvil.rpc, 'eth_accounts', [])) as string[]
    await callRpc(anvil.rpc, 'evm_setAutomine', [false])
    for (const [to, data] of [
      [ours, '0x5d'],
      [ours, '0x5e'],
      [other, '0x5f'],
    ])
      await callRpc(anvil.rpc, 'eth_sendTransaction', [{ from, to, data }])
    await mine()
    await callRpc(anvil.rpc, 'evm_setAutomine', [true])
    return (await callRpc(anvil.rpc, 'eth_getBlockByNumber', ['latest', false])) as Block
  }

  test.each<[string, (logs: Log[]) => Log[]]>([
    ['omits one', (logs) => logs.filter(({ address }) => address !== ours)],
    ['invents one', (logs) => [...logs, { ...logs[0]!, data: '0x66' }]],
    ['falsifies one', (logs) => logs.map((log) => ({ ...log, data: '0x66' }))],
    ['returns one twice in place of another', ([one]) => [one!, one!]],
  ])('aren’t those of a URL that %s: its receipts prove it wrong', async (_, change) => {
    const { hash } = await logBoth()
    first.inject(changeLogs(change))
    expect((await logsOf(hash)).map(({ data }) => data)).toEqual(['0x5d', '0x5e'])
    expect(quarantined()).toEqual(['0: logs'])
  })

  test('are those of most URLs where none has receipts', async () => {
    const { hash } = await logBoth()
    const noReceipts = ({ method }: { method: string }) =>
      /Receipt/.test(method) ? { error: { code: -32601, message: 'no such method' } } : undefined
    for (const node of [second, third]) node.inject(noReceipts)
    const omit = changeLogs((logs) => logs.filter(({ address }) => address !== ours))
    first.inject((call) => noReceipts(call) ?? omit(call))
    expect(await logsOf(hash)).toHaveLength(2)
    expect(quarantined()).toEqual(['0: logs'])
  })

  test('aren’t held against a URL that lags: it has no such block, or not its logs yet', async () => {
    const { hash } = await logBoth()
    second.inject(({ method }) => (method === 'eth_getBlockByHash' ? { result: null } : undefined))
    third.inject(changeLogs(() => []))
    expect(await logsOf(hash)).toHaveLength(2)
    first.inject(changeLogs(() => []))
    second.inject(undefined)
    expect(await logsOf(hash), 'the first lags').toHaveLength(2)
    expect(quarantined()).toEqual([])
  })

  test.each([
    ['hash', { blockHash: `0x${'9'.repeat(64)}` }],
    ['number', { blockNumber: '0x1' }],
  ])('have the block’s %s, whosever they are: Ponder would stop', async (_, wrong) => {
    const { hash, number } = await logBoth()
    first.inject(changeLogs((logs) => [...logs, { ...(logs[0] as Log), address: other, ...wrong }]))
    const right = expect.objectContaining({ blockHash: hash, blockNumber: number })
    expect(await logsOf(hash)).toEqual([right, right])
  })

  describe('that a stranger has filled with its own', () => {
    const crowd = `0x${'c3'.repeat(20)}`
    /** Logs nothing, again and again, until little gas is left. */
    const LOGS_WITHOUT_END = `0x5b${'5f5fa0'.repeat(500)}5a620fffff105f5700`
    const isOfAll = ({ method, params: [filter] }: { method: string; params: unknown[] }) =>
      method === 'eth_getLogs' && !('address' in Object(filter))

    beforeAll(() => callRpc(anvil.rpc, 'anvil_setCode', [crowd, LOGS_WITHOUT_END]))

    /** A block with over 4 MB of logs, and one of ours if this is called with its data. */
    async function fillBlock(data?: string): Promise<Block> {
      const [from] = (await callRpc(anvil.rpc, 'eth_accounts', [])) as string[]
      await callRpc(anvil.rpc, 'evm_setAutomine', [false])
      const gas = '0x600000'
      await callRpc(anvil.rpc, 'eth_sendTransaction', [{ from, to: crowd, gas }])
      if (data) await callRpc(anvil.rpc, 'eth_sendTransaction', [{ from, to: ours, data }])
      await mine()
      await callRpc(anvil.rpc, 'evm_setAutomine', [true])
      return (await callRpc(anvil.rpc, 'eth_getBlockByNumber', ['latest', false])) as Block
    }

    test('are ours alone', async () => {
      const { hash } = await fillBlock('0x5d')
      expect(await logsOf(hash)).toEqual([
        expect.objectContaining({ address: ours, data: '0x5d', blockHash: hash }),
      ])
      for (const node of [first, second]) expect(node.calls.some(isOfAll)).toBe(false)
    })

    test('have one in place of all if none is ours, also where nodes refuse to list them', async () => {
      const { hash, number } = await fillBlock()
      const standIn = { address: `0x${'0'.repeat(40)}`, blockHash: hash, blockNumber: number }
      expect(await logsOf(hash)).toEqual([expect.objectContaining(standIn)])
      const words = 'please specify an address in your request'
      for (const node of [first, second, third])
        node.inject((call) =>
          isOfAll(call) ? { error: { code: -32602, message: words } } : undefined,
        )
      expect(await logsOf(hash)).toEqual([expect.objectContaining(standIn)])
      expect(quarantined()).toEqual([])
    })

    test('have it too where the only node takes too long to list them, if it doesn’t lack the receipts', async () => {
      const { hash } = await fillBlock()
      const sole = createRpcPool({ chainId: 84532, rpcUrls: [first.url] })
      const alone = await serveRpcProxy({ pool: sole, contracts: [ours], totalTimeoutMs: 5_000 })
      const hold = new Promise<void>(() => {})
      const withReceipt = (fault?: { hold: typeof hold } | { result: null }) =>
        first.inject((call) => {
          if (isOfAll(call)) return { hold }
          return /Receipt/.test(call.method) ? fault : undefined
        })
      for (const fault of [undefined, { hold }]) {
        withReceipt(fault)
        expect(await logsOf(hash, alone)).toEqual([expect.objectContaining({ blockHash: hash })])
      }
      withReceipt({ result: null })
      await expect(logsOf(hash, alone)).rejects.toThrow()
      await alone.close()
    })

    test('aren’t taken for none while a node has only the header', async () => {
      const { hash } = await fillBlock('0x5d')
      first.inject((call) => {
        if (/Receipt/.test(call.method)) return { result: null }
        if (call.method !== 'eth_getLogs') return undefined
        return isOfAll(call)
          ? { error: { code: -32000, message: 'failed to get logs for block' } }
          : { result: [] }
      })
      expect(await logsOf(hash)).toHaveLength(1)
      expect(quarantined()).toEqual([])
    })

    test('aren’t taken for none if the only node had just the header when it was first asked', async () => {
      const { hash } = await fillBlock('0x5d')
      const sole = createRpcPool({ chainId: 84532, rpcUrls: [first.url] })
      const alone = await serveRpcProxy({ pool: sole, contracts: [ours] })
      let isAsked = false
      first.inject((call) => {
        if (call.method !== 'eth_getLogs' || isOfAll(call) || isAsked) return undefined
        isAsked = true
        return { result: [] }
      })
      expect(await logsOf(hash, alone)).toEqual([
        expect.objectContaining({ address: ours, data: '0x5d' }),
      ])
      await alone.close()
    })
  })

  test('are the only URL’s, once it has them', async () => {
    const { hash } = await logBoth()
    const sole = createRpcPool({ chainId: 84532, rpcUrls: [first.url] })
    const alone = await serveRpcProxy({ pool: sole, contracts: [ours] })
    let isIndexed = false
    first.inject((call) => (isIndexed ? undefined : changeLogs(() => [])(call)))
    // Ponder repeats a request that fails so, and gives up a block whose logs are missing.
    const response = await fetch(alone.urls(1)[0]!, {
      method: 'POST',
      body: JSON.stringify({ id: 1, method: 'eth_getLogs', params: [{ blockHash: hash }] }),
    })
    expect(response.status).toBe(503)
    isIndexed = true
    expect(await logsOf(hash, alone)).toHaveLength(2)
    await alone.close()
  })

  test('can’t be hidden by a false bloom: a header that doesn’t hash to its block is passed over', async () => {
    const { hash, number } = await logBoth()
    await hasVerifiableHeaders(pool, 0, { totalTimeoutMs: PATIENT_MS })
    const change = (block: unknown) => ({ ...(block as Block), logsBloom: `0x${'0'.repeat(512)}` })
    first.inject(({ method }) => (method.startsWith('eth_getBlock') ? { change } : undefined))
    const [url] = trio.urls(1)
    const blooms = async () => {
      const blocks = [
        await callRpc(url!, 'eth_getBlockByNumber', ['latest', true]),
        await callRpc(url!, 'eth_getBlockByNumber', [number, true]),
        await callRpc(url!, 'eth_getBlockByHash', [hash, true]),
      ]
      return blocks.map((block) =>
        /[1-9a-f]/.test((block as { logsBloom: string }).logsBloom.slice(2)),
      )
    }
    expect(await blooms()).toEqual([true, true, true])
  })

  test('don’t end at a fork after which no node’s header hashes to its block', async () => {
    await mine()
    await hasVerifiableHeaders(pool, 0, { totalTimeoutMs: PATIENT_MS })
    const [url] = trio.urls(1)
    const readHead = async () =>
      (await callRpc(url!, 'eth_getBlockByNumber', ['latest', true])) as Block
    const before = await readHead()
    await mine()
    const { hash, number } = (await callRpc(anvil.rpc, 'eth_getBlockByNumber', [
      'latest',
      false,
    ])) as Block
    const change = (block: unknown) => ({ ...(block as Block), extraData: '0x99' })
    const fork = ({ method, params }: { method: string; params: unknown[] }) =>
      method.startsWith('eth_getBlock') && params[0] !== before.number ? { change } : undefined
    first.inject(fork)
    for (const node of [second, third])
      node.inject((call) => ({ result: isHead(call) ? before : null }))
    expect(await readHead(), 'a single one isn’t believed').toMatchObject({ hash: before.hash })
    expect(await callRpc(url!, 'eth_getBlockByHash', [hash, true])).toBeNull()
    for (const node of [second, third]) node.inject(fork)
    expect(await readHead()).toMatchObject({ hash })
    for (const [method, of] of [
      ['eth_getBlockByNumber', number],
      ['eth_getBlockByHash', hash],
    ] as const)
      expect(await callRpc(url!, method, [of, true])).toMatchObject({ hash })
  })
})

describe('one dishonest URL of three', () => {
  let third: FaultyRpc
  let trio: RpcProxy
  let pool: RpcPool
  beforeEach(async () => {
    third = await startFaultyRpc(anvil.rpc)
    const rpcUrls = [first.url, second.url, third.url]
    pool = createRpcPool({ chainId: 84532, rpcUrls })
    trio = await serveRpcProxy({ pool, totalTimeoutMs: 5_000, stallMs: 300 })
  })
  afterEach(() => Promise.all([trio.close(), third.close()]))
  const seen = async () =>
    (await callRpc(trio.urls(1)[0]!, 'eth_getBlockByNumber', ['latest', false])) as Block
  const real = async () =>
    (await callRpc(anvil.rpc, 'eth_getBlockByNumber', ['latest', false])) as Block

  test.each([
    ['a shorter chain', -3],
    ['another chain of the same length', 0],
    ['another chain that is longer', 1],
    ['another chain that is much longer', 3],
  ])('can’t replace a block with %s, however often it tries', async (_, ahead) => {
    await mine(5)
    for (let flip = 0; flip < 4; flip++) {
      first.inject(undefined)
      await mine()
      const head = await real()
      expect((await seen()).hash).toBe(head.hash)
      // A forged block on top of another.
      const forged = {
        number: `0x${(Number(head.number) + ahead).toString(16)}`,
        hash: `0x${String(flip + 1).repeat(64)}`,
        parentHash: `0x${'6'.repeat(64)}`,
      }
      const change = (block: unknown) => ({ ...(block as Block), ...forged })
      const below = (block: unknown) => ({ ...(block as Block), hash: forged.parentHash })
      first.inject((call) => {
        if (isHead(call)) return { change }
        return call.params[0] === head.number ? { change: below } : undefined
      })
      expect((await seen()).hash).toBe((await real()).hash)
    }
  })

  test('can’t show blocks of its own on top of the chain for long', async () => {
    const watched = await serveRpcProxy({ pool, crossCheckSeconds: 0.05 })
    onTestFinished(() => watched.close())
    const latest = ['eth_getBlockByNumber', ['latest', false]] as const
    const shown = async () => (await callRpc(watched.urls(1)[0]!, ...latest)) as Block
    const base = await shown()
    const forged = [base]
    const find = (block: unknown) =>
      block === 'latest'
        ? forged.at(-1)
        : forged.find((one) => one.number === block || one.hash === block)
    first.inject(({ method, params }) => {
      const result = method.startsWith('eth_getBlockBy') ? find(params[0]) : undefined
      return result && { result }
    })
    for (let count = 0; count < 8; count++) {
      await mine()
      const { hash: parentHash } = forged.at(-1)!
      const block = { ...(await real()), extraData: '0x66', parentHash } as Block
      forged.push({ ...block, hash: hashHeader(parseRpcHeader(block)) })
      await shown()
    }
    await expect.poll(async () => (await shown()).hash).toBe((await real()).hash)
    expect(pool.providers[0]?.quarantine).toMatchObject({ ground: 'hash' })
  })

  test('can’t block later heads with an impossibly high first head', async () => {
    const beyond = { number: `0x${'f'.repeat(20)}`, hash: `0x${'7'.repeat(64)}` }
    const change = (block: unknown) => ({ ...(block as Block), ...beyond })
    first.inject((call) => (isHead(call) ? { change } : undefined))
    expect(await seen(), 'no earlier head contradicts it').toMatchObject(beyond)
    first.inject(undefined)
    expect((await seen()).hash).toBe((await real()).hash)
  })

  test('can’t replace the head with a real but old block', async () => {
    await mine(600)
    const head = await seen()
    const old = await callRpc(anvil.rpc, 'eth_getBlockByNumber', ['0x10', false])
    first.inject((call) => (isHead(call) ? { result: old } : undefined))
    expect((await seen()).hash).toBe(head.hash)
  })

  test('can’t outvote the second while the third is behind', async () => {
    await seen()
    const behind = await real()
    await mine()
    const head = await real()
    expect((await seen()).hash).toBe(head.hash)
    const { number } = head
    third.inject((call) => {
      if (isHead(call)) return { result: behind }
      return call.params[0] === number ? { result: null } : undefined
    })
    const change = (block: unknown) => ({ ...(block as Block), hash: `0x${'8'.repeat(64)}` })
    first.inject((call) => (isHead(call) ? { change } : undefined))
    expect((await seen()).hash).toBe(head.hash)
  })

  test('can’t serve a forged block that the others contradict', async () => {
    await mine(3)
    const { hash, number } = await seen()
    const byHash = (of: string) => callRpc(trio.urls(1)[0]!, 'eth_getBlockByHash', [of, false])
    let forged: object = {}
    const change = (block: unknown) => ({ ...(block as Block), ...forged })
    first.inject(({ method }) => (method.startsWith('eth_getBlock') ? { change } : undefined))
    forged = { parentHash: `0x${'6'.repeat(64)}` }
    expect(await byHash(hash), 'wrong parent').not.toMatchObject(forged)
    forged = { hash: `0x${'9'.repeat(64)}` }
    expect(await byHash(hash), 'wrong hash').toMatchObject({ hash })
    forged = { number: '0x20' }
    const byNumber = await callRpc(trio.urls(1)[0]!, 'eth_getBlockByNumber', [number, false])
    expect(byNumber, 'wrong height').toMatchObject({ hash, number })
    const unknown = { hash: `0x${'9'.repeat(64)}`, parentHash: `0x${'6'.repeat(64)}` }
    for (const height of [number, '0xffffff', 'nowhere']) {
      first.inject(({ method }) =>
        method === 'eth_getBlockByHash' ? { result: { number: height, ...unknown } } : undefined,
      )
      expect(await byHash(unknown.hash)).toBeNull()
    }
  })

  test('needs no vote for a head that descends from the known chain', async () => {
    await seen()
    await mine(4)
    const before = [second.calls.length, third.calls.length]
    expect((await seen()).hash).toBe((await real()).hash)
    expect([second.calls.length, third.calls.length]).toEqual(before)
  })

  test('can’t raise the head through a looked-up block', async () => {
    const head = await seen()
    const parentHash = `0x${'6'.repeat(64)}`
    const ahead = Number(head.number)
    const forge = (number: number, hash: string) => ({
      ...head,
      parentHash,
      hash,
      number: `0x${number.toString(16)}`,
    })
    const [onTop, next] = [
      forge(ahead + 1, `0x${'7'.repeat(64)}`),
      forge(ahead + 2, `0x${'8'.repeat(64)}`),
    ]
    next.parentHash = onTop.hash
    first.inject((call) => {
      if (isHead(call)) return { result: next }
      if (call.params[0] === head.number) return { result: { ...head, hash: parentHash } }
      return call.method === 'eth_getBlockByNumber' ? { result: onTop } : undefined
    })
    await callRpc(trio.urls(1)[0]!, 'eth_getBlockByNumber', [onTop.number, false])
    expect((await seen()).hash).toBe(head.hash)
  })

  test('can’t hold the head back by repeating an old one', async () => {
    await mine()
    const old = await real()
    first.inject((call) => (isHead(call) ? { result: old } : undefined))
    expect((await seen()).hash).toBe(old.hash)
    await mine(2)
    await expect.poll(async () => (await seen()).hash).toBe((await real()).hash)
    // From then on its old head is rejected at once.
    await mine()
    expect((await seen()).hash).toBe((await real()).hash)
  })

  test('isn’t followed far ahead while the chain is idle', async () => {
    const head = await seen()
    const ahead = { number: '0xffffff', hash: `0x${'7'.repeat(64)}` }
    const change = (block: unknown) => ({ ...(block as Block), ...ahead })
    third.inject((call) => (isHead(call) ? { change } : undefined))
    const before = third.calls.length
    await expect.poll(async () => (await seen()) && third.calls.length).toBeGreaterThan(before + 3)
    expect((await seen()).hash).toBe(head.hash)
  })

  test.each([
    9, 100_000,
  ])('can’t raise the head by %i blocks, even on top of the known chain', async (above) => {
    const head = await seen()
    first.inject((call) =>
      isHead(call)
        ? {
            change: (block) => ({
              ...(block as Block),
              number: `0x${(Number((block as Block).number) + above).toString(16)}`,
              hash: `0x${'7'.repeat(64)}`,
              parentHash: `0x${'6'.repeat(64)}`,
            }),
          }
        : undefined,
    )
    expect((await seen()).hash).toBe(head.hash)
    await mine()
    expect((await seen()).hash).toBe((await real()).hash)
  })

  test('can’t hold back a real reorg by staying on the old chain', async () => {
    await mine(2)
    const before = await real()
    first.inject(({ method, params }) =>
      method === 'eth_getBlockByNumber' && ['latest', before.number].includes(String(params[0]))
        ? { result: before }
        : undefined,
    )
    expect((await seen()).hash).toBe(before.hash)
    await callRpc(anvil.rpc, 'anvil_rollback', [1])
    await callRpc(anvil.rpc, 'evm_increaseTime', [100])
    await mine(2)
    await expect.poll(async () => (await seen()).hash).toBe((await real()).hash)
  })
})

test('while no URL answers, the last head is served; the recovery is reported', async () => {
  const last = await head(true)
  for (const node of [first, second]) node.inject(() => ({ status: 503 }))
  expect((await head(true)).hash).toBe(last.hash)
  expect(await request('eth_chainId')).toBe('0x14a34')
  await expect(request('eth_getBlockByNumber', ['0x1', false])).rejects.toThrow()
  expect(events.filter(({ type }) => type === 'serving-last-head')).toHaveLength(1)
  for (const node of [first, second]) node.inject(undefined)
  await mine()
  // The providers back off after their failures, so the first requests still return the old head.
  while ((await head(true)).hash === last.hash);
  expect(events).toContainEqual({ type: 'providers-back', chainId: 84532 })
})

test('a provider that disagrees on a final block is quarantined while running', async () => {
  await proxy.close()
  const foreign = `0x${'66'.repeat(32)}`
  first.inject(({ method, params }) =>
    method === 'eth_getBlockByNumber' && params[0] !== 'latest'
      ? { change: (block) => ({ ...(block as object), hash: foreign }) }
      : undefined,
  )
  const third = await startFaultyRpc(anvil.rpc)
  const quarantined = Promise.withResolvers<RpcPoolEvent>()
  const readmitted = Promise.withResolvers<void>()
  const observe = (event: RpcPoolEvent) => {
    if (event.type === 'provider-quarantined') quarantined.resolve(event)
    if (event.type === 'provider-readmitted') readmitted.resolve()
  }
  const rpcUrls = [first.url, second.url, third.url]
  const pool = createRpcPool({ chainId: 84532, rpcUrls, observe })
  proxy = await serveRpcProxy({ pool, observe, crossCheckSeconds: 0.05 })
  expect(await quarantined.promise).toMatchObject({ reason: expect.stringContaining(foreign) })
  await head()
  expect(first.calls.filter(isHead)).toEqual([])
  first.inject(undefined)
  await readmitted.promise
  await third.close()
})

test('malformed requests are rejected without side effects', async () => {
  const post = (body: string) => fetch(proxy.urls(1)[0]!, { method: 'POST', body })
  expect((await post('nonsense')).status).toBe(400)
  expect((await post('"text"')).status).toBe(400)
  expect((await post('x'.repeat(2_000_000))).status).toBe(400)
  expect((await head()).number).toMatch(/^0x/)
})

test('a web page or another user of the machine, who know only the port, reach no provider', async () => {
  const { port } = new URL(proxy.urls(1)[0]!)
  const flood = JSON.stringify(
    Array(100).fill({ jsonrpc: '2.0', id: 1, method: 'debug_traceBlockByNumber', params: ['0x1'] }),
  )
  // What a page can send without asking the server first.
  const headers = { 'content-type': 'text/plain', origin: 'https://page.test' }
  for (const path of ['/', '/0', '/7', `/${'x'.repeat(32)}/0`]) {
    const url = `http://127.0.0.1:${port}${path}`
    const answer = await fetch(url, { method: 'POST', headers, body: flood })
    expect(answer.status).toBe(404)
  }
  expect([...first.calls, ...second.calls]).toEqual([])
})
