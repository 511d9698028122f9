import { numberToHex } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  clearDeadPonderLock,
  disablePonderTriggers,
} from '../../../services/indexer/deadPonderCleanup.ts'
import { callRpc } from '../../bench/backfill/growChain.ts'
import {
  createPoolUnderTest,
  type PostgresUnderTest,
  startPostgresUnderTest,
} from '../../postgresUnderTest.ts'
import { type FaultyRpc, listRequestedRanges, startFaultyRpc } from '../../rig/faultyRpc.ts'
import { type AnvilWithHistory, startAnvilWithHistory } from './anvilWithHistory.ts'
import { foldInto } from './foldInto.ts'
import { indexUntilLive, readProjections, withClient } from './ponderRun.ts'
import { readCatalog } from './readCatalog.ts'
import { registerSchema } from './registerSchema.ts'

let postgres: PostgresUnderTest
let real: AnvilWithHistory
let counting: FaultyRpc
/** One database indexed by Ponder alone, and one that starts with a fold. */
let stock: string
let ours: string

beforeAll(async () => {
  const [postgresServer, realChain] = await Promise.all([
    startPostgresUnderTest(),
    startAnvilWithHistory(),
  ])
  postgres = postgresServer
  real = realChain
  counting = await startFaultyRpc(real.anvil.rpc)
  stock = await postgres.createDatabase('stock')
  ours = await postgres.createDatabase('ours')
  await indexUntilLive({ chain: real.chain, databaseUrl: stock, schema: 'folded' })
})

afterAll(async () => {
  await counting?.close()
  await real?.anvil.stop()
  await postgres?.stop()
})

test('the fold writes the same rows as Ponder, and Ponder continues from them as from its own', async () => {
  const target = { chain: real.chain, databaseUrl: ours, schema: 'folded' }
  await registerSchema(ours, target)
  const expected = await readProjections(stock, 'folded')
  const result = await foldInto(target)
  expect(result).toMatchObject({ status: 'folded', events: expected.event!.length })
  // Otherwise the comparison would prove nothing.
  expect(expected.event!.length).toBeGreaterThanOrEqual(25)
  expect(expected.intent).toHaveLength(5)
  expect(await readProjections(ours, 'folded')).toEqual(expected)

  const chain = { ...real.chain, rpcUrls: [counting.url] }
  const lines = await indexUntilLive({ ...target, chain, startBlock: result.startBlock })
  const said = lines.map(({ msg }) => msg)
  expect(said).toContain('Detected crash recovery')
  expect(said).not.toContain('Created database tables')
  const indexed = lines.filter(({ msg }) => msg === 'Indexed block range')
  expect(indexed.map(({ event_count }) => event_count)).toEqual([0])
  // Ponder's range starts one block early (ponder.config.ts).
  const last = numberToHex(result.startBlock - 1)
  expect(listRequestedRanges(counting.calls)).toEqual([`${last} to ${last}`])
  expect(await readProjections(ours, 'folded')).toEqual(expected)
  // Tables, columns, defaults, keys, indexes, functions and triggers, those for reorgs among them.
  const [made, own] = await Promise.all([readCatalog(ours, 'folded'), readCatalog(stock, 'folded')])
  expect(made.length).toBeGreaterThan(150)
  expect(made).toEqual(own)
  expect(await foldInto(target)).toMatchObject({ status: 'folded', events: 0 })
})

test('what Ponder fetches is cached only if it has to fetch the history', async () => {
  const rangesIn = (databaseUrl: string) =>
    withClient(databaseUrl, async (client) => {
      const { rows } = await client.query<{ count: number }>(
        'select count(*)::integer as count from ponder_sync.intervals',
      )
      return rows[0]!.count
    })
  expect(await rangesIn(stock)).toBeGreaterThan(0)
  // No block of its history is final yet, so there was nothing to fold.
  const databaseUrl = await postgres.createDatabase('young')
  const target = { chain: real.chain, databaseUrl, schema: 'folded' }
  await indexUntilLive({ ...target, isFolded: true })
  expect((await readProjections(databaseUrl, 'folded')).intent).toHaveLength(5)
  expect(await rangesIn(databaseUrl)).toBe(0)
})

test('creations omitted by the only provider are detected by the bridge’s count', async () => {
  const databaseUrl = await postgres.createDatabase('left_out')
  const chain = { ...real.chain, rpcUrls: [counting.url] }
  const target = { chain, databaseUrl, schema: 'folded' }
  await registerSchema(databaseUrl, target)
  const creations = await withClient(stock, async (client) => {
    const { rows } = await client.query<Place>(
      `SELECT block_number, log_index FROM folded.event WHERE type = 'IntentCreated' ORDER BY 1, 2`,
    )
    return rows
  })
  expect(creations).toHaveLength(5)
  const left = creations[2] as Place
  counting.inject(({ method }) =>
    method === 'eth_getLogs' ? { change: (logs) => without(logs as Log[], left) } : undefined,
  )
  const result = await foldInto(target)
  counting.inject(undefined)
  expect(result).toMatchObject({
    status: 'left',
    reason: expect.stringMatching(/lack 1 intent creations/),
  })
  // No incomplete rows were written.
  expect(result.startBlock).toBeLessThanOrEqual(Number(left.block_number))

  expect(await foldInto(target)).toMatchObject({ status: 'folded' })
  expect(await readProjections(databaseUrl, 'folded')).toEqual(
    await readProjections(stock, 'folded'),
  )
})

test('on an index that was live, creations are counted after the reverted ones', async () => {
  const databaseUrl = await postgres.createDatabase('resumed')
  const chain = { ...real.chain, rpcUrls: [counting.url] }
  const target = { chain, databaseUrl, schema: 'folded' }
  await registerSchema(databaseUrl, target)
  const { startBlock } = await foldInto(target)
  // The sixth is created in a block that isn't final.
  const sixth = () =>
    withClient(databaseUrl, async (client) => {
      const { rows } = await client.query<Place>(
        `SELECT block_number, log_index FROM folded.event
          WHERE type = 'IntentCreated' AND block_number >= $1`,
        [startBlock],
      )
      return rows[0]
    })
  const isDone = async () => (await sixth()) !== undefined
  await indexUntilLive({ ...target, startBlock, isDone })
  const left = (await sixth()) as Place
  const pool = createPoolUnderTest({ connectionString: databaseUrl })
  await clearDeadPonderLock(pool, 'folded')
  await disablePonderTriggers(pool, 'folded')
  await pool.end()

  await callRpc(real.anvil.rpc, 'anvil_mine', ['0x50'])
  // On a chain whose blooms say nothing and whose headers don't hash as Ethereum's do, only the count tells.
  counting.inject(({ method }) => {
    if (method === 'eth_getLogs') return { change: (logs) => without(logs as Log[], left) }
    if (method !== 'eth_getBlockByNumber') return undefined
    const other = { logsBloom: `0x${'0'.repeat(512)}`, extraData: '0x00' }
    return { change: (block) => ({ ...(block as object), ...other }) }
  })
  const lacking = await foldInto(target)
  counting.inject(undefined)
  expect(lacking).toMatchObject({
    status: 'left',
    reason: expect.stringMatching(/lack 1 intent creations/),
  })
  expect(await foldInto(target)).toMatchObject({ status: 'folded', events: 1 })
  expect(await sixth()).toEqual(left)
})

type Log = { blockNumber: string; logIndex: string }
type Place = { block_number: string; log_index: number }

function without(logs: Log[], { block_number, log_index }: Place): Log[] {
  return logs.filter(
    ({ blockNumber, logIndex }) =>
      Number(blockNumber) !== Number(block_number) || Number(logIndex) !== log_index,
  )
}
