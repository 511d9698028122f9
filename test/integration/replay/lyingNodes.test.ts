import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { encodeEventTopics, type Hex, numberToHex } from 'viem'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { hashHeader } from '../../../core/proof/hashHeader.ts'
import { parseRpcHeader } from '../../../core/proof/parseRpcHeader.ts'
import { bridgeIntentV2Abi } from '../../../src/event/abi/bridgeIntentV2.ts'
import { type Fault, type FaultyRpc, type RpcCall, startFaultyRpc } from '../../rig/faultyRpc.ts'
import { hashEvents } from '../../unit/projection/model/hashEvents.ts'
import { type BridgePair, readChainEvents, startBridgePair } from '../indexer/bridgePair.ts'
import { reportsOf, runReplay } from './runReplay.ts'

type Log = { blockNumber: Hex; topics: Hex[]; data: Hex; logIndex: Hex }
type Block = { number: Hex; hash: Hex; timestamp: Hex; parentHash: Hex }

const directory = mkdtempSync(join(tmpdir(), 'cairn-liars-'))
let pair: BridgePair
let nodes: FaultyRpc[]
let hosts: string[]
let stateHash: string
let events: Awaited<ReturnType<typeof readChainEvents>>

beforeAll(async () => {
  pair = await startBridgePair()
  const { play, base } = pair
  const intent = await play.create()
  await play.anchor(intent)
  await play.bid(intent)
  await play.endAuction()
  await play.create()
  await base.client.mine({ blocks: 20, interval: 30 })
  events = await readChainEvents(base)
  stateHash = hashEvents(events)
  nodes = await Promise.all([1, 2, 3].map(() => startFaultyRpc(base.node.rpc)))
  hosts = nodes.map(({ url }, at) => `${new URL(url).host}#${at + 1}`)
})

afterEach(() => {
  for (const node of nodes) node.inject(undefined)
})

afterAll(async () => {
  await Promise.all((nodes ?? []).map((node) => node.close()))
  await pair?.stop()
  rmSync(directory, { recursive: true, force: true })
})

/** Replays over the first so many nodes, whose URLs hold a key. */
async function replayOver(count: number, ...more: string[]) {
  const rpcUrls = nodes.slice(0, count).map(({ url }) => `${url}secret-key`)
  const file = join(directory, 'chains.json')
  writeFileSync(file, JSON.stringify({ chains: [{ ...pair.base.config, rpcUrls }] }))
  const run = await runReplay(['--json', ...more], { CHAINS: file })
  expect(run.stdout + run.stderr).not.toContain('secret-key')
  return run
}

const lie = (at: number, method: string, fault: Fault | ((call: RpcCall) => Fault | undefined)) =>
  nodes[at]!.inject((call) => {
    if (call.method !== method) return undefined
    return typeof fault === 'function' ? fault(call) : fault
  })

/** Changes a block wherever the node gives it. */
const changeBlock = (change: (block: Block) => object): Fault => ({
  change: (block) => (block === null ? null : { ...(block as Block), ...change(block as Block) }),
})

const omitLast: Fault = { change: (logs) => (logs as Log[]).slice(0, -1) }
const inventLog: Fault = {
  change: (logs) => {
    const all = logs as Log[]
    const last = all.at(-1)
    return last ? [...all, { ...last, logIndex: numberToHex(Number(last.logIndex) + 1) }] : all
  },
}
const changeLog: Fault = {
  change: (logs) =>
    (logs as Log[]).map((log, at) =>
      at === 0
        ? { ...log, data: log.data.replace(/.$/, (digit) => (digit === '1' ? '2' : '1')) }
        : log,
    ),
}
/** A header that anyone can make up. */
function fork(block: Block): object {
  const forged = { ...block, extraData: '0xf0' }
  return { ...forged, hash: hashHeader(parseRpcHeader(forged)) }
}
const forkHash = (number: number): Hex => `0x${number.toString(16).padStart(64, 'f')}`

describe.each([
  ['first', 0],
  ['second', 1],
])('of two nodes, the %s', (_, liar) => {
  test.each([
    ['omits', omitLast],
    ['invents', inventLog],
    ['changes', changeLog],
  ])('%s a log: receipts convict it', async (_what, fault) => {
    lie(liar, 'eth_getLogs', fault)
    const run = await replayOver(2)
    expect([run.code, run.stderr]).toEqual([0, ''])
    const report = reportsOf(run).get('base_sepolia')
    expect(report).toMatchObject({ stateHash, events: events.length })
    expect(report!.nodes.refused).toMatchObject([{ node: hosts[liar] }])
  })

  test('leaves out blocks in the middle: the blocks above convict it', async () => {
    const [from, to] = [events.at(-3)!.point.blockNumber, events.at(-1)!.point.blockNumber]
    nodes[liar]!.inject(({ method }) => {
      if (method === 'eth_getBlockByNumber')
        return {
          change: (block) => {
            const number = Number((block as Block | null)?.number)
            const isForged = from <= number && number <= to
            return isForged ? { ...(block as Block), hash: forkHash(number) } : block
          },
        }
      if (method !== 'eth_getLogs') return undefined
      const isKept = ({ blockNumber }: Log) =>
        Number(blockNumber) < from || Number(blockNumber) > to
      return { change: (logs) => (logs as Log[]).filter(isKept) }
    })
    const run = await replayOver(2)
    expect([run.code, run.stderr]).toEqual([0, ''])
    expect(reportsOf(run).get('base_sepolia')).toMatchObject({ stateHash })
  })

  test('gives heads that don’t hash to their hashes: it is convicted', async () => {
    lie(
      liar,
      'eth_getBlockByNumber',
      changeBlock(({ number }) => ({ hash: forkHash(Number(number)) })),
    )
    const run = await replayOver(2)
    expect([run.code, run.stderr]).toEqual([0, ''])
    const report = reportsOf(run).get('base_sepolia')
    expect(report).toMatchObject({ stateHash, nodes: { refused: [{ node: hosts[liar] }] } })
  })

  test('shows a fork: the error names both, and says what to do', async () => {
    lie(liar, 'eth_getBlockByNumber', changeBlock(fork))
    await expectDisagreement(await replayOver(2), /block \d+ is 0x/)
  })

  test('shows an old head: the error names both', async () => {
    const [, second] = events
    const old = numberToHex(second!.point.blockNumber)
    const block = await pair.base.client.request({
      method: 'eth_getBlockByNumber',
      params: [old, false],
    })
    lie(liar, 'eth_getBlockByNumber', ({ params }) =>
      params[0] === 'latest' ? { result: block } : undefined,
    )
    await expectDisagreement(await replayOver(2), /the latest block is block \d+ \(/)
  })

  test('has other balances: the error names both', async () => {
    lie(liar, 'eth_call', { result: numberToHex(10n ** 30n, { size: 32 }) })
    await expectDisagreement(await replayOver(2), /what the bridge of base_sepolia holds/)
  })

  test('omits a log that no receipt proves: the error names both', async () => {
    const unknown = { error: { code: -32601, message: 'the method does not exist' } }
    for (const [at, node] of nodes.entries())
      node.inject(({ method }) => {
        if (method.includes('Receipt')) return unknown
        return at === liar && method === 'eth_getLogs' ? omitLast : undefined
      })
    await expectDisagreement(await replayOver(2), /return different logs of blocks/)
  })
})

function expectDisagreement(
  { code, stderr, stdout }: Awaited<ReturnType<typeof replayOver>>,
  about: RegExp,
): void {
  expect([code, stdout]).toEqual([2, ''])
  expect(stderr).toMatch(about)
  for (const host of hosts.slice(0, 2)) expect(stderr).toContain(host)
  expect(stderr).toContain('add a node of another operator to rpcUrls')
  expect(stderr).not.toContain('    at ')
}

describe('of three nodes, the first', () => {
  test.each<[string, string, Fault | ((call: RpcCall) => Fault | undefined)]>([
    ['shows a fork', 'eth_getBlockByNumber', changeBlock(fork)],
    [
      'is stuck at an old head',
      'eth_getBlockByNumber',
      ({ params }) =>
        params[0] === 'latest' ? { hold: Promise.resolve(), change: toStart } : undefined,
    ],
    ['has other balances', 'eth_call', { result: numberToHex(0, { size: 32 }) }],
  ])('%s: the others decide', async (_what, method, fault) => {
    lie(0, method, fault)
    const run = await replayOver(3)
    expect([run.code, run.stderr]).toEqual([0, ''])
    expect(reportsOf(run).get('base_sepolia')).toMatchObject({ stateHash })
  })

  test('has other times: the others decide where a period ends', async () => {
    const middle = events[Math.floor(events.length / 2)]!.point
    const late = (seconds: number) =>
      changeBlock(({ timestamp }) => ({ timestamp: numberToHex(Number(timestamp) + seconds) }))
    const moment = ['--as-of', `base_sepolia=${middle.blockNumber}`]
    const honest = reportsOf(await replayOver(3, ...moment)).get('base_sepolia')
    lie(0, 'eth_getBlockByNumber', late(-50))
    expect(reportsOf(await replayOver(3, ...moment)).get('base_sepolia')).toMatchObject({
      stateHash: honest!.stateHash,
      block: honest!.block,
    })
  })
})

function toStart(block: unknown): object {
  return { ...(block as Block), number: '0x1', hash: forkHash(1) }
}

test.each([
  0, 1,
])('a node (%d) that leaves a field out of its headers isn’t called wrong', async (at) => {
  lie(
    at,
    'eth_getBlockByNumber',
    changeBlock(() => ({ baseFeePerGas: undefined })),
  )
  const run = await replayOver(2)
  expect([run.code, run.stderr]).toEqual([0, ''])
  expect(reportsOf(run).get('base_sepolia')).toMatchObject({ stateHash, nodes: { refused: [] } })
})

test('a reorg that only one of two nodes has seen convicts neither, although the other leaves a field out', async () => {
  let left = 1
  lie(0, 'eth_getBlockByNumber', ({ params }) =>
    params[0] !== 'latest' && left-- > 0 ? changeBlock(fork) : undefined,
  )
  lie(
    1,
    'eth_getBlockByNumber',
    changeBlock(() => ({ baseFeePerGas: undefined })),
  )
  const run = await replayOver(2)
  expect([run.code, run.stderr]).toEqual([0, ''])
  expect(left).toBeLessThan(0)
  expect(reportsOf(run).get('base_sepolia')).toMatchObject({ stateHash, nodes: { refused: [] } })
})

test('of three nodes, one that shows a fork doesn’t win because the others leave a field out', async () => {
  lie(0, 'eth_getBlockByNumber', changeBlock(fork))
  for (const at of [1, 2])
    lie(
      at,
      'eth_getBlockByNumber',
      changeBlock(() => ({ baseFeePerGas: undefined })),
    )
  const run = await replayOver(3)
  expect([run.code, run.stderr]).toEqual([0, ''])
  const report = reportsOf(run).get('base_sepolia')
  expect(report).toMatchObject({ stateHash })
  for (const { node } of report!.nodes.refused) expect(node).toBe(hosts[0])
})

test('nodes that agree are listed', async () => {
  const run = await replayOver(2)
  expect([run.code, run.stderr]).toEqual([0, ''])
  const report = reportsOf(run).get('base_sepolia')
  expect(report!.nodes).toEqual({ nodes: hosts.slice(0, 2), refused: [], unconfirmed: [] })
  expect(report).toMatchObject({ stateHash })
})

test('a silent node leaves blocks unconfirmed, which the report says', async () => {
  lie(1, 'eth_getLogs', { status: 503 })
  const run = await replayOver(2)
  expect(run.code).toBe(0)
  const report = reportsOf(run).get('base_sepolia')
  expect(report).toMatchObject({ stateHash })
  expect(report!.nodes.unconfirmed[0]).toMatchObject({ node: hosts[0], from: 0 })
})

/** Has the first node leave out some logs, and give no receipts that would show it. */
const omitAlone = (isKept: (log: Log) => boolean) =>
  nodes[0]!.inject(({ method }) => {
    if (method.includes('Receipt')) return { result: null }
    return method === 'eth_getLogs'
      ? { change: (logs) => (logs as Log[]).filter(isKept) }
      : undefined
  })
const topicOf = (eventName: 'IntentCreated' | 'BidPlaced') =>
  encodeEventTopics({ abi: bridgeIntentV2Abi, eventName })[0]

test('the bridge’s own count finds out a single node that omits intents, or everything', async () => {
  const created = topicOf('IntentCreated')
  const last = events.at(-1)!.point.blockNumber
  omitAlone(({ topics, blockNumber }) => topics[0] !== created || Number(blockNumber) !== last)
  const one = await replayOver(1)
  expect(one.code).toBe(1)
  expect(one.stdout).toContain('Verdict: NOT SOUND')
  expect(reportsOf(one).get('base_sepolia')!.omissions).toEqual([
    expect.stringContaining('the logs of base_sepolia lack 1 intent:'),
  ])
  omitAlone(() => false)
  const all = await replayOver(1)
  expect(all.code).toBe(1)
  expect(reportsOf(all).get('base_sepolia')!.omissions).toEqual([
    expect.stringContaining('the logs of base_sepolia lack the deployment of the bridge'),
    expect.stringContaining('2 intents'),
  ])
})

test('a single node can omit a bid: the output says that it was believed', async () => {
  omitAlone(({ topics }) => topics[0] !== topicOf('BidPlaced'))
  const run = await replayOver(1)
  expect(run.code).toBe(0)
  expect(reportsOf(run).get('base_sepolia')!.stateHash).not.toBe(stateHash)
  const said = await runReplay([], { CHAINS: join(directory, 'chains.json') })
  expect(said.stdout).toContain(`1 node (${hosts[0]}), which was believed`)
})
