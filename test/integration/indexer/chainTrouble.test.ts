import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Indexer } from '../../../services/indexer/startIndexer.ts'
import { createViews } from '../../../services/indexer/tables/createViews.ts'
import { migrate } from '../../../services/store/database/migrate.ts'
import { createChainTables } from '../../../tools/seed/createChainTables.ts'
import { callRpc } from '../../bench/backfill/growChain.ts'
import {
  type FakeRpcWebSocketServer,
  startFakeRpcWebSocketServer,
} from '../../rig/fakeRpcWebSocketServer.ts'
import { type FaultyRpc, startFaultyRpc } from '../../rig/faultyRpc.ts'
import { findDeadPort } from '../../rig/findDeadPort.ts'
import { until } from '../../rig/until.ts'
import {
  type BridgePair,
  openBridgeChain,
  playOn,
  readBridgeEvents,
  startBridgePair,
} from './bridgePair.ts'
import {
  awaitCaughtUp,
  awaitLive,
  awaitStatus,
  startTestDatabase,
  startTestIndexer,
  type TestDatabase,
} from './indexerUnderTest.ts'
import { readRows, replayRows } from './projectedRows.ts'

const OLD_BUILD = 'cairn_84532_01dbui1d'

let pair: BridgePair
let database: TestDatabase
let indexer: Indexer
/** What a provider of the first chain announces. */
let socket: FakeRpcWebSocketServer
/** Its second provider, which invents a head. */
let inventor: FaultyRpc
/** The node that took the place of the first one's. */
let fresh: Awaited<ReturnType<typeof openBridgeChain>> | undefined

beforeAll(async () => {
  ;[pair, database, socket] = await Promise.all([
    startBridgePair(),
    startTestDatabase(),
    startFakeRpcWebSocketServer(),
  ])
  const [own = ''] = pair.base.config.rpcUrls
  inventor = await startFaultyRpc(own)
  inventor.inject(({ method }) =>
    method === 'eth_blockNumber' ? { result: '0xffffffffff' } : undefined,
  )
  await migrate(database.url)
  await pair.play.cancel(await pair.play.create())
  await pair.base.client.mine({ blocks: 70 })
})

afterAll(async () => {
  await indexer?.stop()
  socket?.close()
  await Promise.all([pair?.stop(), fresh?.node.stop(), database?.stop(), inventor?.close()])
})

async function expectRowsOfReplay() {
  await awaitCaughtUp(database.client, pair.base)
  const rows = await readRows(database.client, [pair.base.chainId])
  expect(rows).toEqual(replayRows(await readBridgeEvents(pair.base)))
}

async function orphans(): Promise<string[]> {
  const { rows } = await database.client.query(
    `select block_hash || log_index as log from app.orphaned_event
     where restored_at is null and cause = 'rebuild' order by 1`,
  )
  return rows.map(({ log }) => log)
}

const logsOf = (events: Awaited<ReturnType<typeof readBridgeEvents>>) =>
  events.map(({ point }) => `${point.blockHash}${point.logIndex}`)

test('readers see the old build until the new one is ready; a dead chain delays no other', async () => {
  const { client } = database
  const old = { chainId: 84532, chainName: 'base_sepolia', schema: OLD_BUILD }
  await createChainTables(client, old)
  // The old build knew less than this one.
  await client.query(`alter table "${OLD_BUILD}".escrow drop column fees`)
  await client.query(`drop table "${OLD_BUILD}".pair_day`)
  await client.query(
    `insert into "${OLD_BUILD}".bridge_token values (84532, '0x01d', 1, 2, 1, true)`,
  )
  await createViews(client, [old])

  const nobody = `http://127.0.0.1:${await findDeadPort()}`
  const horizen = { ...pair.horizen.config, rpcUrls: [nobody], wsUrl: undefined }
  const { rpcUrls, ...base } = pair.base.config
  const config = { ...base, rpcUrls: [...rpcUrls, inventor.url], wsUrl: socket.url }
  indexer = await startTestIndexer(database.url, [config, horizen])
  const tokens = async () =>
    (await client.query('select token from cairn.bridge_token where chain_id = 84532')).rows
  expect(await tokens()).toEqual([{ token: '0x01d' }])
  const { problem } = await awaitStatus(indexer, 2651420, (status) => status.problem !== null)
  expect(problem).toMatch(/no endpoint of horizen_testnet answers \(127\.0\.0\.1:\d+\)/)

  await awaitLive(indexer, pair.base)
  await expectRowsOfReplay()
  expect((await tokens()).length).toBeGreaterThan(1)
  await until(async () => {
    const { rows } = await client.query('select to_regnamespace($1) as found', [OLD_BUILD])
    return rows[0].found === null
  }, 'the end of the superseded schema')
  const known = await client.query(
    'select chain_id, problem from app.projection order by chain_id, schema_name',
  )
  expect(known.rows).toEqual([
    { chain_id: '84532', problem: null },
    { chain_id: '2651420', problem },
  ])
})

test('Ponder goes on from a block whose logs are replaced by one, as a stranger has made too many', async () => {
  const crowd = `0x${'c3'.repeat(20)}`
  // Sets nearly every bit of the block's bloom, so that Ponder asks for its logs; then logs nothing until little gas is left.
  const code = `0x${'5a5a5a5a5f5fa4'.repeat(1_200)}5b${'5f5fa0'.repeat(500)}5a620fffff106120d0575f00`
  const [rpc = ''] = pair.base.config.rpcUrls
  await callRpc(rpc, 'anvil_setCode', [crowd, code])
  const [from] = (await callRpc(rpc, 'eth_accounts', [])) as string[]
  await callRpc(rpc, 'eth_sendTransaction', [{ from, to: crowd, gas: '0xb71b00' }])
  await expectRowsOfReplay()
  // Ponder has asked for this block's logs, and the node had more than anybody reads.
  const filters = inventor.calls.filter(({ method }) => method === 'eth_getLogs')
  const ofAll = filters
    .map(({ params: [filter] }) => filter as object)
    .filter((one) => !('address' in one))
  const counts = await Promise.all(
    ofAll.map(async (filter) => ((await callRpc(rpc, 'eth_getLogs', [filter])) as []).length),
  )
  expect(Math.max(...counts)).toBeGreaterThan(20_000)
})

test('a provider that announces endless false heads delays nothing', async () => {
  const { base, play } = pair
  const head = await base.client.request({
    method: 'eth_getBlockByNumber',
    params: ['latest', false],
  })
  let lies = 0
  const lying = setInterval(() => {
    const number = `0x${(Number(head?.number) + 100_000 + ++lies).toString(16)}`
    socket.announce({ ...head, number, hash: `0x${String(lies).padStart(64, '0')}` })
  }, 50)
  try {
    await until(() => lies > 10)
    await play.create()
    const began = performance.now()
    await expectRowsOfReplay()
    // Ponder looks for a block that nobody has for a minute.
    expect(performance.now() - began).toBeLessThan(30_000)
  } finally {
    clearInterval(lying)
  }
})

test('a reorg deeper than Ponder follows is detected, and the index is rebuilt', async () => {
  const { play, base } = pair
  const kept = await play.create()
  await base.client.mine({ blocks: 10 })
  const lost = await play.create()
  // Bury it: with 60 blocks above, Ponder takes the block of `lost` for final.
  for (let batch = 0; batch < 4; batch++) {
    await base.client.mine({ blocks: 20 })
    await awaitCaughtUp(database.client, base)
  }
  const before = await readBridgeEvents(base)
  await until(async () => {
    const { rows } = await database.client.query(
      'select max(block_number) as at from app.chain_anchor',
    )
    return Number(rows[0].at) >= (before.at(-1)?.point.blockNumber as number)
  }, 'an anchor above the lost block')

  const { number } = await base.client.getBlock()
  const depth = Number(number) - (before.at(-1)?.point.blockNumber as number) + 5
  await base.client.request({ method: 'anvil_rollback', params: [depth] } as never)
  await base.client.mine({ blocks: depth + 5 })
  await awaitStatus(indexer, base.chainId, ({ state }) => state !== 'live')
  await awaitLive(indexer, base)
  await expectRowsOfReplay()

  const after = new Set(logsOf(await readBridgeEvents(base)))
  const gone = logsOf(before).filter((log) => !after.has(log))
  expect(gone).toHaveLength(1)
  expect(await orphans()).toEqual(gone)
  const { rows } = await database.client.query(
    'select intent_id::text as id from cairn.intent where intent_id = any($1)',
    [[String(kept), String(lost)]],
  )
  expect(rows).toEqual([{ id: String(kept) }])
})

test('a chain reset is detected at run time, and the chain is indexed from scratch', async () => {
  const { base } = pair
  await database.client.query('delete from app.orphaned_event')
  const before = logsOf(await readBridgeEvents(base))
  const { rows } = await database.client.query('select base_sequence from app.projection')
  await base.node.stop()
  fresh = await openBridgeChain(base.contracts, base.name, base.chainId, 2651420, {
    port: base.node.port,
    attempt: 2,
  })
  pair.base = fresh
  const play = playOn(fresh, pair.horizen)
  await play.anchor(await play.create())
  await awaitStatus(indexer, base.chainId, ({ state }) => state !== 'live')
  await awaitLive(indexer, fresh)
  await expectRowsOfReplay()

  const after = new Set(logsOf(await readBridgeEvents(fresh)))
  expect(await orphans()).toEqual(before.filter((log) => !after.has(log)).sort())
  const now = await database.client.query(
    'select base_sequence from app.projection where chain_id = $1',
    [base.chainId],
  )
  expect(BigInt(now.rows[0].base_sequence)).toBeGreaterThan(
    BigInt(rows.find((row) => row.base_sequence !== null).base_sequence),
  )
})
