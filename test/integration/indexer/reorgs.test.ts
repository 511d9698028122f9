import { encodeEventTopics } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Indexer } from '../../../services/indexer/startIndexer.ts'
import { bridgeIntentV2Abi } from '../../../src/event/abi/bridgeIntentV2.ts'
import { createPoolUnderTest } from '../../postgresUnderTest.ts'
import { type FaultyRpc, startFaultyRpc } from '../../rig/faultyRpc.ts'
import { until } from '../../rig/until.ts'
import { type BridgePair, readBridgeEvents, startBridgePair } from './bridgePair.ts'
import { expectRowsOfReplay } from './expectRowsOfReplay.ts'
import {
  awaitCaughtUp,
  awaitLive,
  startTestDatabase,
  startTestIndexer,
  type TestDatabase,
} from './indexerUnderTest.ts'

let pair: BridgePair
let database: TestDatabase
let indexer: Indexer
/** The chain's node, as three. */
let nodes: FaultyRpc[] = []

beforeAll(async () => {
  ;[pair, database] = await Promise.all([startBridgePair(), startTestDatabase()])
  const { rpc } = pair.base.node
  nodes = await Promise.all([startFaultyRpc(rpc), startFaultyRpc(rpc), startFaultyRpc(rpc)])
  // Deep below: the reorganisations stay within the last 30 blocks, as on the chains we follow.
  await pair.base.client.mine({ blocks: 70 })
  const rpcUrls = nodes.map(({ url }) => url)
  indexer = await startTestIndexer(database.url, [{ ...pair.base.config, rpcUrls }])
  await awaitLive(indexer, pair.base)
})

afterAll(async () => {
  await indexer?.stop()
  await Promise.all([...nodes.map((node) => node.close()), pair?.stop(), database?.stop()])
})

async function latestSequence(): Promise<bigint> {
  const { rows } = await database.client.query('select max(sequence) as latest from app.change_log')
  return BigInt(rows[0].latest ?? 0)
}

async function orphans(): Promise<{ type: string; block_hash: string; cause: string }[]> {
  const { rows } = await database.client.query(
    `select type, block_hash, cause from app.orphaned_event where restored_at is null
     order by block_number, log_index`,
  )
  return rows
}

test.each([
  { depth: 1, way: 'anvil_reorg' },
  { depth: 5, way: 'anvil_reorg' },
  { depth: 1, way: 'anvil_rollback' },
  { depth: 5, way: 'anvil_rollback' },
])('after a reorg of depth $depth by $way, rows equal a replay’s', async ({ depth, way }) => {
  const { play, base } = pair
  await database.client.query('delete from app.orphaned_event')
  // Five blocks with an event each, the latest `depth` of which will go.
  const kept = await play.create()
  const steps = [
    () => play.anchor(kept),
    () => play.bid(kept, 1n),
    () => play.bid(kept, 2n),
    () => play.bid(kept, 3n),
    () => play.bid(kept, 4n),
  ]
  for (const step of steps) await step()
  const before = await readBridgeEvents(base)
  await awaitCaughtUp(database.client, base)
  // caughtUp mined an empty block on top: it goes as well.
  const sequence = await latestSequence()

  const params = way === 'anvil_reorg' ? [depth + 1, []] : [depth + 1]
  await base.client.request({ method: way, params } as never)
  await base.client.mine({ blocks: 1 })
  await until(async () => (await orphans()).length === depth, 'the orphans')
  // After a rollback to a lower head Ponder waits for the next block: the clock must not stay ahead.
  if (way === 'anvil_rollback') {
    const { rows } = await database.client.query('select timestamp from cairn.chain_clock')
    const { timestamp } = await base.client.getBlock()
    expect(Number(rows[0].timestamp)).toBeLessThanOrEqual(Number(timestamp))
  }
  await expectRowsOfReplay(database, pair.base)

  const after = new Set((await readBridgeEvents(base)).map(({ point }) => point.blockHash))
  const gone = before.filter(({ point }) => !after.has(point.blockHash))
  expect(gone).toHaveLength(depth)
  expect(await orphans()).toEqual(
    gone.map(({ type, point }) => ({ type, block_hash: point.blockHash, cause: 'reorg' })),
  )
  expect(await latestSequence()).toBeGreaterThan(sequence)
  const deletes = await database.client.query(
    `select count(*) from app.change_log
     where sequence > $1 and table_name = 'event' and operation = 'delete' and intent_id = $2`,
    [String(sequence), String(kept)],
  )
  expect(Number(deletes.rows[0].count)).toBe(depth)
})

test('an event mined again in another block returns, and its orphan stays recorded', async () => {
  const { play, base } = pair
  await database.client.query('delete from app.orphaned_event')
  const id = await play.create()
  await awaitCaughtUp(database.client, base)
  const snapshot = await base.client.snapshot()
  await play.anchor(id)
  const [event] = (await readBridgeEvents(base)).slice(-1)
  await awaitCaughtUp(database.client, base)

  await base.client.revert({ id: snapshot })
  await base.client.setNextBlockTimestamp({
    timestamp: BigInt((event?.point.blockTimestamp ?? 0) + 7),
  })
  await base.client.mine({ blocks: 1 })
  await until(async () => (await orphans()).length > 0, 'the orphan')
  await expectRowsOfReplay(database, pair.base)
  expect((await orphans()).map(({ type }) => type)).toEqual(['IntentAnchored'])
  // The same transaction again, in another block: the orphan stays one, the event is back.
  await play.anchor(id)
  await expectRowsOfReplay(database, pair.base)
  expect((await orphans()).map(({ block_hash }) => block_hash)).toEqual([event?.point.blockHash])
})

test('a backup that reads every table is in the way of no reorg and no other reader', async () => {
  const { play, base } = pair
  await database.client.query('delete from app.orphaned_event')
  await play.create()
  await awaitCaughtUp(database.client, base)
  const pool = createPoolUnderTest({ connectionString: database.url })
  const backup = await pool.connect()
  await backup.query('begin')
  const { rows: tables } = await backup.query<{ name: string }>(
    `select format('%I.%I', schemaname, tablename) as name from pg_tables
     where schemaname like 'cairn\\_%' or schemaname = 'app'`,
  )
  for (const { name } of tables) await backup.query(`select from ${name}`)

  await base.client.request({ method: 'anvil_reorg', params: [2, []] } as never)
  await base.client.mine({ blocks: 1 })
  await until(async () => (await orphans()).length === 1, 'the orphan', { timeout: 30_000 })
  await database.client.query('select from cairn.event')
  await backup.query('commit')
  backup.release()
  await pool.end()
  await expectRowsOfReplay(database, base)
})

test('a block with too many events for single inserts is removed and written again', async () => {
  const { play, base } = pair
  const { hash: below } = await base.client.getBlock()
  await base.client.setAutomine(false)
  const created = Promise.all(Array.from({ length: 30 }, () => play.create()))
  await until(async () => (await base.client.getTxpoolStatus()).pending === 30, 'the creations')
  await base.client.mine({ blocks: 1 })
  await base.client.setAutomine(true)
  await created
  const events = await readBridgeEvents(base)
  expect(new Set(events.slice(-30).map(({ point }) => point.blockNumber)).size).toBe(1)
  await expectRowsOfReplay(database, pair.base)

  const { number } = await base.client.getBlock({ blockHash: below })
  const depth = Number((await base.client.getBlockNumber()) - number)
  await base.client.request({ method: 'anvil_reorg', params: [depth, []] } as never)
  await base.client.mine({ blocks: 1 })
  await expectRowsOfReplay(database, pair.base)
  expect(await readBridgeEvents(base)).toHaveLength(events.length - 30)
})

test('one of three nodes can’t hide an event of a new block', async () => {
  const { play, base } = pair
  type Log = { topics: string[] }
  const [bidPlaced] = encodeEventTopics({ abi: bridgeIntentV2Abi, eventName: 'BidPlaced' })
  /** The node that is asked first. */
  let liar: FaultyRpc | undefined
  const change = (node: FaultyRpc) => (answer: unknown) => {
    const logs = answer as Log[]
    if (!logs.some(({ topics }) => topics[0] === bidPlaced)) return logs
    liar ??= node
    return node === liar ? [{ ...logs[0], topics: [`0x${'77'.repeat(32)}`] }] : logs
  }
  for (const node of nodes) {
    node.inject(({ method, params }) =>
      method === 'eth_getLogs' && Object(params[0]).blockHash
        ? { change: change(node) }
        : undefined,
    )
  }
  const id = await play.create()
  await play.anchor(id)
  await play.bid(id, 1n)
  await expectRowsOfReplay(database, base)
  expect(liar).toBeDefined()
})
