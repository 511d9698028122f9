import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type RunningAnvil, startAnvil } from '../../../contracts/anvil/startAnvil.ts'
import { RowStore } from '../../../core/rows/rowStore.ts'
import { fetchEvents } from '../../../services/chain/history/fetchEvents.ts'
import { createRpcPool } from '../../../services/chain/rpcPool/rpcPool.ts'
import { type FoldOptions, foldHistory } from '../../../services/indexer/fold/foldHistory.ts'
import { readTable } from '../../../services/indexer/fold/readRows.ts'
import { cachedUpTo } from '../../../services/indexer/prefill/cachedUpTo.ts'
import {
  loadPonderInternals,
  type PonderInternals,
} from '../../../services/indexer/prefill/ponderInternals.ts'
import { prefill } from '../../../services/indexer/prefill/prefill.ts'
import type { ChainEvent } from '../../../src/event/chainEvent.ts'
import { keyText } from '../../../src/projection/keyOf.ts'
import type { AnyKey, AnyRow, TableName } from '../../../src/projection/rows.ts'
import { TABLE_NAMES } from '../../../src/projection/tables.ts'
import { benchBridge, growChain, growingAnvil } from '../../bench/backfill/growChain.ts'
import { type PostgresUnderTest, startPostgresUnderTest } from '../../postgresUnderTest.ts'
import { withClient } from '../prefill/ponderRun.ts'
import { registerSchema } from './registerSchema.ts'

let postgres: PostgresUnderTest
let anvil: RunningAnvil
let ponder: PonderInternals
let toBlock: number
/** The history as replay reads it, with no Ponder and no database. */
let history: ChainEvent[]

const chain = () => ({
  ...{ name: 'base_sepolia', chainId: 84532, rpcUrls: [anvil.rpc] },
  ...{ bridge: benchBridge, startBlock: 0, confirmations: 1 },
})

beforeAll(async () => {
  ;[postgres, anvil, ponder] = await Promise.all([
    startPostgresUnderTest(),
    startAnvil({ chainId: 84532, blockTime: 0, extraArguments: growingAnvil }),
    loadPonderInternals(),
  ])
  await growChain(anvil, { blocks: 60, eventsPerBlock: 40, eventsPerTransaction: 20 })
  const { databaseUrl } = postgres
  await prefill({ chain: chain(), databaseUrl })
  toBlock = (await cachedUpTo(databaseUrl, chain(), ponder)) as number
  history = []
  const range = { from: 0, to: toBlock }
  for await (const { events } of fetchEvents(createRpcPool(chain()), chain(), range))
    history.push(...events)
  expect(history).toHaveLength(2_400)
})

afterAll(async () => {
  await anvil?.stop()
  await postgres?.stop()
})

async function foldOptions(schema: string, more: Partial<FoldOptions> = {}): Promise<FoldOptions> {
  await registerSchema(postgres.databaseUrl, { schema, chain: chain() })
  return { chain: chain(), databaseUrl: postgres.databaseUrl, schema, ponder, toBlock, ...more }
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
  const store = new RowStore()
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

test('the tables hold the rows of a replay', async () => {
  const result = await foldHistory(await foldOptions('whole'))
  expect(result).toMatchObject({ status: 'folded', events: 2_400 })
  expect(await rowsIn('whole')).toEqual(replayed(toBlock))
})

test('so they do when blocks are larger than pages and few intents are held in memory', async () => {
  const result = await foldHistory(await foldOptions('narrow', { pageSize: 30, intentsHeld: 45 }))
  expect(result).toMatchObject({ status: 'folded', events: 2_400 })
  expect(await rowsIn('narrow')).toEqual(replayed(toBlock))
})

test('kill -9 leaves whole blocks and their checkpoint, and the next fold goes on behind them', async () => {
  const options = await foldOptions('killed', { pageSize: 150, intentsHeld: 300 })
  const program = fileURLToPath(new URL('./foldProcess.ts', import.meta.url))
  const child = spawn(process.execPath, [
    ...['--no-warnings', program, JSON.stringify(chain())],
    ...[postgres.databaseUrl, 'killed', String(toBlock)],
  ])
  expect(await once(child, 'exit')).toEqual([null, 'SIGKILL'])
  await untilIdle('killed')
  const block = await foldedUpTo('killed')
  expect(block).toBeGreaterThan(10)
  expect(block).toBeLessThan(60)
  expect(await rowsIn('killed')).toEqual(replayed(block))

  const before = history.filter(({ point }) => point.blockNumber <= block).length
  const result = await foldHistory(options)
  expect(result).toMatchObject({ status: 'folded', events: 2_400 - before })
  expect(await rowsIn('killed')).toEqual(replayed(toBlock))
  expect(await foldHistory(options)).toMatchObject({ status: 'folded', events: 0 })
})

test('two folds of one schema do not write over each other', async () => {
  const options = await foldOptions('shared', { pageSize: 150 })
  const ends = await Promise.allSettled([foldHistory(options), foldHistory(options)])
  expect(ends.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
  expect(await rowsIn('shared')).toEqual(replayed(toBlock))
})

test('a fold that is aborted rejects with the reason, and what it wrote is whole', async () => {
  const controller = new AbortController()
  const reason = new Error('the supervisor stops')
  const options = await foldOptions('aborted', {
    ...{ pageSize: 150, signal: controller.signal },
    onProgress: () => controller.abort(reason),
  })
  await expect(foldHistory(options)).rejects.toBe(reason)
  const block = await foldedUpTo('aborted')
  expect(block).toBeLessThan(60)
  expect(await rowsIn('aborted')).toEqual(replayed(block))
})

test('a history with a hole is folded up to it and left to Ponder', async () => {
  const databaseUrl = postgres.databaseUrl
  const anchored = history.findLast(({ type }) => type === 'IntentAnchored') as ChainEvent
  const intentOf = ({ args }: ChainEvent) => ('intentId' in args ? args.intentId : null)
  const created = history.find((event) => intentOf(event) === intentOf(anchored)) as ChainEvent
  const options = await foldOptions('holed', { pageSize: 150 })
  const row = await withClient(databaseUrl, async (client) => {
    const { rows } = await client.query(
      'DELETE FROM ponder_sync.logs WHERE block_number = $1 AND log_index = $2 RETURNING *',
      [created.point.blockNumber, created.point.logIndex],
    )
    return rows[0]
  })
  const result = await foldHistory(options)
  expect(result.status).toBe('left')
  expect((result as { reason: string }).reason).toMatch(/its intent is unknown/)
  const block = await foldedUpTo('holed')
  expect(block).toBeGreaterThan(30)
  expect(await rowsIn('holed')).toEqual(replayed(block))

  await withClient(databaseUrl, (client) =>
    client.query(
      'INSERT INTO ponder_sync.logs SELECT * FROM jsonb_populate_record(null::ponder_sync.logs, $1)',
      [row],
    ),
  )
  expect(await foldHistory(options)).toMatchObject({ status: 'folded' })
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
