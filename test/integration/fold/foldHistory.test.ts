import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { pino } from 'pino'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { type RunningAnvil, startAnvil } from '../../../contracts/anvil/startAnvil.ts'
import { InMemoryRowStore } from '../../../core/rows/inMemoryRowStore.ts'
import { fetchEvents } from '../../../services/chain/history/fetchEvents.ts'
import { createRpcPool } from '../../../services/chain/rpcPool/rpcPool.ts'
import type { Supervision } from '../../../services/indexer/chainSupervision.ts'
import type { FoldOptions } from '../../../services/indexer/fold/foldHistory.ts'
import { readTable } from '../../../services/indexer/fold/readRows.ts'
import { backfillChain } from '../../../services/indexer/tables/backfillChain.ts'
import type { ChainEvent } from '../../../src/event/chainEvent.ts'
import { keyText } from '../../../src/projection/rowKeys.ts'
import type { AnyKey, AnyRow, TableName } from '../../../src/projection/rowTypes.ts'
import { TABLE_NAMES } from '../../../src/table/tableShapes.ts'
import { callRpc, GROWING_ANVIL, growChain } from '../../bench/backfill/growChain.ts'
import {
  createPoolUnderTest,
  type PostgresUnderTest,
  startPostgresUnderTest,
} from '../../postgresUnderTest.ts'
import { type FaultyRpc, startFaultyRpc } from '../../rig/faultyRpc.ts'
import { startWire } from '../../rig/wire.ts'
import { foldInto } from './foldInto.ts'
import { grownChainConfig } from './grownChainConfig.ts'
import { withClient } from './ponderRun.ts'
import { registerSchema } from './registerSchema.ts'

let postgres: PostgresUnderTest
let anvil: RunningAnvil
/** The last final block. */
let toBlock: number
let faulty: FaultyRpc
/** The history as replay reads it, with no Ponder and no database. */
let history: ChainEvent[]

const chain = () => grownChainConfig(faulty.url)

beforeAll(async () => {
  ;[postgres, anvil] = await Promise.all([
    startPostgresUnderTest(),
    startAnvil({ chainId: 84532, blockTime: 0, extraArguments: GROWING_ANVIL }),
  ])
  faulty = await startFaultyRpc(anvil.rpc)
  await growChain(anvil, { blocks: 60, eventsPerBlock: 40, eventsPerTransaction: 20 })
  toBlock = Number(await callRpc(anvil.rpc, 'eth_blockNumber')) - 30
  history = []
  const range = { from: 0, to: toBlock }
  for await (const { events } of fetchEvents(createRpcPool(chain()), chain(), range))
    history.push(...events)
  expect(history).toHaveLength(2_400)
})

afterEach(() => faulty.inject(undefined))

afterAll(async () => {
  await faulty?.close()
  await anvil?.stop()
  await postgres?.stop()
})

/** Folds into a schema, which is registered if it isn't yet. */
async function foldAs(schema: string, options: Partial<FoldOptions> = {}) {
  const target = { chain: chain(), databaseUrl: postgres.databaseUrl, schema }
  await registerSchema(postgres.databaseUrl, target)
  return foldInto(target, options)
}

/** Rows of every table, by key. */
async function rowsIn(schema: string) {
  return withClient(postgres.databaseUrl, async (client) => {
    const rows: Record<string, Record<string, object>> = {}
    for (const table of TABLE_NAMES)
      rows[table] = byKey(table, await readTable(client, schema, table))
    return rows
  })
}

function replayed(upTo: number) {
  const store = new InMemoryRowStore()
  for (const event of history) if (event.point.blockNumber <= upTo) store.fold(event)
  return Object.fromEntries(TABLE_NAMES.map((table) => [table, byKey(table, store.rows(table))]))
}

function byKey(table: TableName, rows: AnyRow[]): Record<string, object> {
  return Object.fromEntries(rows.map((row) => [keyText(table, row as unknown as AnyKey), row]))
}

/** The block whose end Ponder would go on from. */
async function foldedUpTo(schema: string): Promise<number> {
  return withClient(postgres.databaseUrl, async (client) => {
    const { rows } = await client.query(
      `SELECT app.checkpoint_block(safe_checkpoint) AS block FROM "${schema}"._ponder_checkpoint`,
    )
    return Number(rows[0]?.block ?? -1)
  })
}

test('folding writes the rows of a replay', async () => {
  const result = await foldAs('whole')
  expect(result).toMatchObject({ status: 'folded', events: 2_400 })
  expect(await rowsIn('whole')).toEqual(replayed(toBlock))
})

test('folding writes the rows of a replay even when blocks exceed pages and few intents fit in memory', async () => {
  const result = await foldAs('narrow', { pageSize: 30, cachedIntents: 45 })
  expect(result).toMatchObject({ status: 'folded', events: 2_400 })
  expect(await rowsIn('narrow')).toEqual(replayed(toBlock))
})

test('kill -9 leaves whole blocks and their checkpoint, and the next fold continues after them', async () => {
  const options = { pageSize: 150, cachedIntents: 300 }
  await registerSchema(postgres.databaseUrl, { schema: 'killed', chain: chain() })
  const program = fileURLToPath(new URL('./foldThreePages.ts', import.meta.url))
  const child = spawn(process.execPath, [
    ...['--no-warnings', program, JSON.stringify(chain())],
    ...[postgres.databaseUrl, 'killed'],
  ])
  expect(await once(child, 'exit')).toEqual([null, 'SIGKILL'])
  await untilIdle('killed')
  const block = await foldedUpTo('killed')
  expect(block).toBeGreaterThan(10)
  expect(block).toBeLessThan(60)
  expect(await rowsIn('killed')).toEqual(replayed(block))

  const before = history.filter(({ point }) => point.blockNumber <= block).length
  const result = await foldAs('killed', options)
  expect(result).toMatchObject({
    status: 'folded',
    events: 2_400 - before,
    startBlock: toBlock + 1,
  })
  expect(await rowsIn('killed')).toEqual(replayed(toBlock))
  expect(await foldAs('killed')).toMatchObject({ status: 'folded', events: 0 })
})

test('two folds of one schema don’t overwrite each other', async () => {
  const options = { pageSize: 150 }
  const ends = await Promise.allSettled([foldAs('shared', options), foldAs('shared', options)])
  expect(ends.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
  expect(await rowsIn('shared')).toEqual(replayed(toBlock))
})

test('an aborted fold rejects with the reason, and leaves whole blocks', async () => {
  const controller = new AbortController()
  const reason = new Error('the supervisor stops')
  const folding = foldAs('aborted', {
    pageSize: 150,
    signal: controller.signal,
    onProgress: () => controller.abort(reason),
  })
  await expect(folding).rejects.toBe(reason)
  const block = await foldedUpTo('aborted')
  expect(block).toBeLessThan(60)
  expect(await rowsIn('aborted')).toEqual(replayed(block))
})

test('a history with a gap is left to Ponder, and incomplete tables are dropped', async () => {
  const anchored = history.findLast(({ type }) => type === 'IntentAnchored') as ChainEvent
  const intentOf = ({ args }: ChainEvent) => ('intentId' in args ? args.intentId : null)
  const created = history.find((event) => intentOf(event) === intentOf(anchored)) as ChainEvent
  const isCreation = (log: { blockNumber: string; logIndex: string }) =>
    Number(log.blockNumber) === created.point.blockNumber &&
    Number(log.logIndex) === created.point.logIndex
  faulty.inject(({ method }) => {
    // Proven receipts would have no gap.
    if (method === 'eth_getBlockReceipts') return { result: null }
    if (method !== 'eth_getLogs') return undefined
    return { change: (logs) => (logs as never[]).filter((log) => !isCreation(log)) }
  })
  const result = await foldAs('holed', { pageSize: 150 })
  expect(result).toMatchObject({
    status: 'left',
    reason: expect.stringMatching(/its intent is unknown/),
  })
  expect(result.events).toBeGreaterThan(1_200)
  expect(result.startBlock).toBe(0)
  expect(await foldedUpTo('holed')).toBe(-1)
  faulty.inject(undefined)
  expect(await foldAs('holed')).toMatchObject({ status: 'folded' })
  expect(await rowsIn('holed')).toEqual(replayed(toBlock))
})

/** Resolves when the server has noticed that the killed program is gone. */
async function untilIdle(schema: string): Promise<void> {
  await withClient(postgres.databaseUrl, async (client) => {
    const busy = `SELECT 1 FROM pg_stat_activity WHERE application_name LIKE 'cairn_fold%'`
    while ((await client.query(busy)).rowCount !== 0) await new Promise(setImmediate)
    await client.query(`SELECT 1 FROM "${schema}"._ponder_checkpoint`)
  })
}

test('a fold whose database falls silent ends soon after it is aborted', async () => {
  const wire = await startWire(postgres.port)
  const url = new URL(postgres.databaseUrl)
  url.port = String(wire.port)
  const schema = 'cairn_silent'
  await registerSchema(postgres.databaseUrl, { schema, chain: chain() })
  const stopping = new AbortController()
  faulty.inject(({ method }) => {
    if (method === 'eth_getLogs') {
      wire.cut()
      stopping.abort(new Error('the lock is lost'))
    }
    return undefined
  })
  const pool = createPoolUnderTest({ connectionString: postgres.databaseUrl, max: 1 })
  const supervision = { chain: chain(), schema, databaseUrl: url.href, build: 'tested', pool }
  const told = { log: pino({ level: 'silent' }), report: () => {}, status: () => ({ progress: 0 }) }
  const filling = backfillChain({ ...supervision, ...told } as unknown as Supervision, {
    rpc: createRpcPool(chain()),
    isReady: false,
    signal: stopping.signal,
  })
  await expect(filling).rejects.toThrow('the lock is lost')
  await Promise.all([pool.end(), wire.close()])
})
