import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { pino } from 'pino'
import { numberToHex } from 'viem'
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import { type RunningAnvil, startAnvil } from '../../../contracts/anvil/startAnvil.ts'
import { clearDeadPonderLock } from '../../../services/indexer/deadPonderCleanup.ts'
import { openProxiedChain } from '../../../services/indexer/ponder/openProxiedChain.ts'
import { startPonder } from '../../../services/indexer/ponder/startPonder.ts'
import { generateBridgeHistory } from '../../bench/backfill/bridgeHistory.ts'
import { type PlannedLog, packLogs } from '../../bench/backfill/emitterCode.ts'
import { BENCH_BRIDGE, callRpc, GROWING_ANVIL, growChain } from '../../bench/backfill/growChain.ts'
import { type PostgresUnderTest, startPostgresUnderTest } from '../../postgresUnderTest.ts'
import { type FaultyRpc, listRequestedRanges, startFaultyRpc } from '../../rig/faultyRpc.ts'
import { foldInto } from './foldInto.ts'
import { withClient } from './ponderRun.ts'
import { registerSchema } from './registerSchema.ts'

const root = fileURLToPath(new URL('../../../', import.meta.url))
let postgres: PostgresUnderTest
let anvil: RunningAnvil
let first: FaultyRpc
let second: FaultyRpc

beforeAll(async () => {
  postgres = await startPostgresUnderTest()
  anvil = await startAnvil({ chainId: 84532, blockTime: 0, extraArguments: GROWING_ANVIL })
  await growChain(anvil, { blocks: 40, eventsPerBlock: 5, eventsPerTransaction: 5 })
  first = await startFaultyRpc(anvil.rpc)
  second = await startFaultyRpc(anvil.rpc)
})

afterAll(async () => {
  await Promise.all([first?.close(), second?.close(), anvil?.stop()])
  await postgres?.stop()
})

test('NODE_OPTIONS reach Ponder’s process, with paths that are relative to the indexer’s folder', async () => {
  vi.stubEnv('NODE_OPTIONS', '--import=./of-the-operator.mjs')
  onTestFinished(() => void vi.unstubAllEnvs())
  const place = { bridge: BENCH_BRIDGE, startBlock: 0, confirmations: 1 }
  const chain = { name: 'base_sepolia', chainId: 84532, rpcUrls: [first.url], ...place }
  const said: string[] = []
  const onLine = ({ msg }: { msg: string }) => void said.push(msg)
  const target = { chain, databaseUrl: postgres.databaseUrl, schema: 'never' }
  const ponder = await startPonder({ ...target, root: join(root, 'elsewhere'), onLine })
  onTestFinished(() => ponder.stop())
  expect(await ponder.ended).toBe('ended with code 1')
  expect(said.join()).toContain(join(process.cwd(), 'of-the-operator.mjs'))
})

test('Ponder starts after the folded blocks and follows the head through the proxy, even when a provider dies', async () => {
  const log = pino({ level: 'silent' })
  const place = { bridge: BENCH_BRIDGE, startBlock: 0, confirmations: 1 }
  const chain = { name: 'base_sepolia', chainId: 84532, rpcUrls: [first.url, second.url], ...place }
  const { databaseUrl } = postgres
  const source = await openProxiedChain({ chain, log })
  expect(source.chain.rpcUrls).toHaveLength(25)
  const target = { chain, databaseUrl, schema: 'folded' }
  await registerSchema(databaseUrl, target)
  const live = Promise.withResolvers<void>()
  const ponder = await startPonder({
    chain: source.chain,
    databaseUrl,
    schema: 'folded',
    root,
    onLine: ({ msg }) => {
      if (msg === 'Started live indexing') live.resolve()
    },
  })
  const result = await foldInto(target, { rpc: source.rpc })
  expect(result).toMatchObject({ status: 'folded', events: 200, confirmedRanges: result.ranges })
  expect(result.ranges).toBeGreaterThan(0)

  for (const one of [first, second]) one.calls.length = 0
  ponder.release({ ...result, isFolded: true })
  await Promise.race([
    live.promise,
    ponder.ended.then((reason) => Promise.reject(new Error(reason))),
  ])
  const last = numberToHex(result.startBlock - 1)
  expect(listRequestedRanges([...first.calls, ...second.calls])).toEqual([`${last} to ${last}`])

  first.inject(() => ({ drop: true }))
  await emit([...generateBridgeHistory({ chainId: 84532, events: 210 })].slice(200))
  await withClient(databaseUrl, async (client) => {
    const count = async () =>
      (await client.query('SELECT count(*)::int AS count FROM folded.event')).rows[0].count
    while ((await count()) < 210) await new Promise(setImmediate)
    expect(await count()).toBe(210)
  })
  await ponder.stop()
  await source.close()
})

test('a Ponder that is killed before it fetched a block hasn’t marked it as done', async () => {
  const databaseUrl = await postgres.createDatabase('killed')
  const place = { bridge: BENCH_BRIDGE, startBlock: 0, confirmations: 1 }
  const chain = { name: 'base_sepolia', chainId: 84532, rpcUrls: [second.url], ...place }
  const target = { chain, databaseUrl, schema: 'folded' }
  await registerSchema(databaseUrl, target)
  second.inject(({ method }) => (method === 'eth_blockNumber' ? { result: '0x32' } : undefined))
  expect(await foldInto(target)).toMatchObject({ status: 'folded', startBlock: 21 })

  // Its final block is the next one, which it never comes to read.
  const head = await callRpc(anvil.rpc, 'eth_getBlockByNumber', ['0x33', false])
  const asked = Promise.withResolvers<void>()
  second.inject(({ method, params }) => {
    if (method === 'eth_getBlockByNumber' && params[0] === 'latest') return { result: head }
    if (method !== 'eth_getLogs') return undefined
    asked.resolve()
    return { hold: new Promise(() => {}) }
  })
  const ponder = await startPonder({ ...target, root, onLine: () => {} })
  ponder.release({ startBlock: 21, isFolded: true })
  await Promise.race([
    asked.promise,
    ponder.ended.then((reason) => Promise.reject(new Error(reason))),
  ])
  // Time for what it must not do.
  await new Promise((resolve) => setTimeout(resolve, 500))
  process.kill(ponder.pid, 'SIGKILL')
  await ponder.ended
  second.inject(undefined)
  // It still claims the tables.
  await expect(foldInto(target)).rejects.toThrow('is written by another process')
  await withClient(databaseUrl, async (client) => {
    await clearDeadPonderLock(client, 'folded')
    await foldInto(target)
    const { rows } = await client.query('SELECT count(*)::int AS count FROM folded.event')
    expect(rows).toEqual([{ count: 200 }])
  })
})

/** One more block with these events. */
async function emit(logs: PlannedLog[]): Promise<void> {
  const [from] = (await callRpc(anvil.rpc, 'eth_accounts')) as string[]
  const transaction = {
    from,
    to: BENCH_BRIDGE,
    data: packLogs(logs),
    gas: '0x1000000',
    gasPrice: '0x0',
  }
  await callRpc(anvil.rpc, 'eth_sendTransaction', [transaction])
  await callRpc(anvil.rpc, 'anvil_mine', ['0x1'])
}
