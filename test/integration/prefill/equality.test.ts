import { toEventSelector } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { foldHistory } from '../../../services/indexer/fold/foldHistory.ts'
import { cachedUpTo } from '../../../services/indexer/prefill/cachedUpTo.ts'
import { loadPonderInternals } from '../../../services/indexer/prefill/ponderInternals.ts'
import { prefill } from '../../../services/indexer/prefill/prefill.ts'
import { EVENT_ABI } from '../../../src/event/eventFields.ts'
import { type PostgresUnderTest, startPostgresUnderTest } from '../../postgresUnderTest.ts'
import { readCatalog } from '../fold/readCatalog.ts'
import { registerSchema } from '../fold/registerSchema.ts'
import { type FaultyRpc, startFaultyRpc } from './faultyRpc.ts'
import { indexUntilLive, readCache, readProjections, withClient } from './ponderRun.ts'
import { type RealChain, startRealChain } from './realChain.ts'

let postgres: PostgresUnderTest
let real: RealChain
let counting: FaultyRpc
/** A database whose cache and projections stock Ponder made, and one that was prefilled first. */
let stock: string
let ours: string

beforeAll(async () => {
  const [postgresServer, realChain] = await Promise.all([
    startPostgresUnderTest(),
    startRealChain(),
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

test('the prefilled cache is the one that stock Ponder writes, row by row and column by column', async () => {
  const result = await prefill({ chain: real.chain, databaseUrl: ours })
  expect(result).toMatchObject({ status: 'filled' })
  const [expected, filled] = await Promise.all([readCache(stock), readCache(ours)])
  expect(filled).toEqual(expected)
  // What the comparison would be worth nothing without.
  expect(filled.logs!.length).toBeGreaterThanOrEqual(25)
  expect(new Set(filled.transactions!.map((row) => (row as { type: string }).type))).toEqual(
    new Set(['0x0', '0x1', '0x2']),
  )
  expect(filled.intervals!.length).toBeGreaterThan(15)
})

test('Ponder asks for no log of the prefilled range, and folds the same rows', async () => {
  const chain = { ...real.chain, rpcUrls: [counting.url] }
  await indexUntilLive({ chain, databaseUrl: ours, schema: 'folded' })
  expect(counting.count('eth_getBlockByNumber')).toBeGreaterThan(0)
  const ranges = counting.calls.filter(
    ({ method, params }) => method === 'eth_getLogs' && 'fromBlock' in (params[0] as object),
  )
  expect(ranges).toEqual([])
  const [expected, folded] = await Promise.all([
    readProjections(stock, 'folded'),
    readProjections(ours, 'folded'),
  ])
  expect(folded).toEqual(expected)
  expect(folded.intent).toHaveLength(5)
})

test('a range that is deleted and fetched again by Ponder changes nothing', async () => {
  const before = await readCache(ours)
  const numbers = before.logs!.map((row) => (row as { block_number: number }).block_number)
  const [from, to] = [numbers[5]!, numbers.at(-5)!]
  await withClient(ours, async (client) => {
    for (const [table, column] of [
      ['blocks', 'number'],
      ['transactions', 'block_number'],
      ['logs', 'block_number'],
    ]) {
      await client.query(`DELETE FROM ponder_sync.${table} WHERE ${column} BETWEEN $1 AND $2`, [
        from,
        to,
      ])
    }
    await client.query(
      `UPDATE ponder_sync.intervals SET blocks = blocks - nummultirange(numrange($1, $2, '()'))`,
      [from, to + 1],
    )
  })
  expect((await readCache(ours)).logs!.length).toBeLessThan(numbers.length)
  await indexUntilLive({ chain: real.chain, databaseUrl: ours, schema: 'folded_again' })
  expect(await readCache(ours)).toEqual(before)
  expect(await readProjections(ours, 'folded_again')).toEqual(
    await readProjections(stock, 'folded'),
  )
})

test('a second prefill finds nothing to do', async () => {
  const before = await readCache(ours)
  expect(await prefill({ chain: real.chain, databaseUrl: ours })).toMatchObject({
    status: 'complete',
  })
  expect(await readCache(ours)).toEqual(before)
})

test('creations that the only provider leaves out are noticed by the count of the bridge', async () => {
  const databaseUrl = await postgres.createDatabase('left_out')
  const chain = { ...real.chain, rpcUrls: [counting.url] }
  const created = (await readCache(ours)).logs!.map((row) => row as Record<string, string>)
  const selector = toEventSelector(EVENT_ABI.find(({ name }) => name === 'IntentCreated')!)
  const creations = created.filter(({ topic0 }) => topic0 === selector)
  expect(creations).toHaveLength(5)
  const left = creations[2] as Record<string, string>
  counting.inject(({ method }) =>
    method === 'eth_getLogs' ? { change: (logs) => without(logs as Log[], left) } : undefined,
  )
  const result = await prefill({ chain, databaseUrl })
  counting.inject(undefined)
  expect(result.status).toBe('unfinished')
  expect((result as { reason: string }).reason).toMatch(/lack the creation of 1 intents/)
  const upTo = await cachedUpTo(databaseUrl, chain, await loadPonderInternals())
  expect(upTo).toBe(Number(creations[1]!.block_number) - 1)

  expect(await prefill({ chain, databaseUrl })).toMatchObject({ status: 'filled' })
  expect((await readCache(databaseUrl)).logs).toEqual((await readCache(ours)).logs)
})

type Log = { blockNumber: string; logIndex: string }

function without(logs: Log[], { block_number, log_index }: Record<string, string>): Log[] {
  return logs.filter(
    ({ blockNumber, logIndex }) =>
      Number(blockNumber) !== Number(block_number) || Number(logIndex) !== Number(log_index),
  )
}

test('the rows we fold are those that Ponder folds, and Ponder goes on from them as from its own', async () => {
  const ponder = await loadPonderInternals()
  const fold = { chain: real.chain, databaseUrl: ours, schema: 'handed', ponder }
  await registerSchema(ours, { schema: 'handed', chain: real.chain })
  const toBlock = (await cachedUpTo(ours, real.chain, ponder)) as number
  const expected = await readProjections(stock, 'folded')
  const result = await foldHistory({ ...fold, toBlock })
  expect(result).toMatchObject({ status: 'folded', events: expected.event!.length })
  expect(await readProjections(ours, 'handed')).toEqual(expected)

  const chain = { ...real.chain, rpcUrls: [counting.url] }
  const lines = await indexUntilLive({
    ...{ chain, databaseUrl: ours, schema: 'handed' },
    isHandedOver: true,
  })
  const said = lines.map(({ msg }) => msg)
  expect(said).toContain('Detected crash recovery')
  expect(said).not.toContain('Created database tables')
  const indexed = lines.filter(({ msg }) => msg === 'Indexed block range')
  expect(indexed.map(({ event_count }) => event_count)).toEqual([0])
  expect(await readProjections(ours, 'handed')).toEqual(expected)
  // Tables, columns, defaults, keys, indexes, functions and triggers, those for reorgs among them.
  const [made, own] = await Promise.all([readCatalog(ours, 'handed'), readCatalog(ours, 'folded')])
  expect(made.length).toBeGreaterThan(150)
  expect(made).toEqual(own)

  // From now on the schema is Ponder's own, under its own build id.
  const [handed, stocks] = await withClient(ours, async (client) => {
    const { rows } = await client.query(
      `SELECT h.value ->> 'build_id' AS handed, f.value ->> 'build_id' AS stocks
         FROM handed._ponder_meta h, folded._ponder_meta f`,
    )
    return [rows[0].handed, rows[0].stocks]
  })
  expect(handed).toBe(stocks)
  expect(await foldHistory({ ...fold, toBlock })).toMatchObject({ status: 'left', events: 0 })
})
