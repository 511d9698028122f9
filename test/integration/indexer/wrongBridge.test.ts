import { getAddress } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { ChainConfig } from '../../../services/config/chainConfig.ts'
import { findBridgeConfigProblem } from '../../../services/indexer/check/findBridgeConfigProblem.ts'
import { probeChain } from '../../../services/indexer/follow/probeChain.ts'
import type { Indexer } from '../../../services/indexer/startIndexer.ts'
import { type BridgePair, readBridgeEvents, startBridgePair } from './bridgePair.ts'
import {
  awaitCaughtUp,
  awaitLive,
  awaitStatus,
  startTestDatabase,
  startTestIndexer,
  type TestDatabase,
} from './indexerUnderTest.ts'
import { readRows, replayRows } from './projectedRows.ts'

const NOBODY = '0x00000000000000000000000000000000000c0ffe'
/** Where a second bridge lies, of the same code and as real as the first. */
const OTHER = '0x00000000000000000000000000000000000b71d6'

let pair: BridgePair
let database: TestDatabase
let indexer: Indexer | null = null
let right: ChainConfig

beforeAll(async () => {
  ;[pair, database] = await Promise.all([startBridgePair(), startTestDatabase()])
  right = { ...pair.base.config, registry: pair.base.contracts.registry }
  const { client, contracts } = pair.base
  const code = await client.getCode({ address: contracts.bridge })
  await client.setCode({ address: OTHER, bytecode: code! })
  await pair.play.cancel(await pair.play.create())
  await client.mine({ blocks: 70 })
})

afterAll(async () => {
  await indexer?.stop()
  await Promise.all([pair?.stop(), database?.stop()])
})

async function restart(chain: ChainConfig): Promise<Indexer> {
  await indexer?.stop()
  indexer = await startTestIndexer(database.url, [chain])
  return indexer
}

async function shownRows() {
  return readRows(database.client, [right.chainId])
}

/** Schemas of the chain that hold events. */
async function schemas(): Promise<string[]> {
  const { rows } = await database.client.query(
    `select nspname from pg_namespace where nspname like 'cairn\\_84532\\_%'
     and to_regclass(format('%I.event', nspname)) is not null order by 1`,
  )
  return rows.map(({ nspname }) => nspname)
}

test('a wrong code, version, chain or registry is named with its remedy', async () => {
  const { base, horizen } = pair
  const problemOf = async (change: Partial<ChainConfig>, chain = right) =>
    findBridgeConfigProblem(await probeChain({ ...chain, ...change }), { ...chain, ...change })
  const { bridge, registry, tokens } = base.contracts
  expect(await problemOf({})).toBeNull()
  expect(await problemOf({ bridge: NOBODY })).toMatch(
    /^no contract is at 0x0{35}c0ffe on base_sepolia: correct `bridge`/,
  )
  expect(await problemOf({ bridge: tokens.USDC })).toMatch(
    /isn’t the version of BridgeIntentV2.*has no \w+\(\)/,
  )
  expect(await problemOf({ bridge: registry, registry: undefined })).toMatch(/isn’t the version/)
  expect(await problemOf({ registry: bridge })).toContain(
    `uses the registry ${getAddress(registry)}, but the chains file names ${bridge}`,
  )
  expect(await problemOf({ bridgeCodeHash: `0x${'1'.repeat(64)}` })).toMatch(
    /not the configured bridgeCodeHash/,
  )
  // The other chain's bridge, by a node that says it were this chain.
  const intent = await pair.play.create()
  const { client } = horizen
  const stranger = { ...right, rpcUrls: horizen.config.rpcUrls, chainId: horizen.chainId }
  expect(intent >> 64n).toBe(84532n)
  await client.setStorageAt({
    address: horizen.contracts.registry,
    index: 0,
    value: `0x${'0'.repeat(64)}`,
  })
  expect(await problemOf({}, stranger)).toBeNull()
  await client.setCode({ address: horizen.contracts.registry, bytecode: '0x00' })
  expect(await problemOf({}, stranger)).toMatch(/doesn’t behave like one/)
})

test('a wrong address isn’t indexed, and readers keep the previous index', async () => {
  await awaitLive(await restart(right), pair.base)
  await awaitCaughtUp(database.client, pair.base)
  const before = await shownRows()
  expect(before).toEqual(replayRows(await readBridgeEvents(pair.base)))
  const [schema] = await schemas()
  const wrong = await restart({ ...right, bridge: NOBODY })
  const { problem, state } = await awaitStatus(wrong, right.chainId, (one) => one.problem !== null)
  expect([state, problem]).toEqual(['waiting', expect.stringContaining('no contract is at')])
  expect(await shownRows()).toEqual(before)
  expect(await schemas()).toContain(schema)
})

test('a new bridge is shown, and the first one’s index is kept until a successor has its history', async () => {
  const [first] = await schemas()
  const before = await shownRows()
  await awaitLive(await restart({ ...right, bridge: OTHER }), pair.base)
  expect(await shownRows()).not.toEqual(before)
  const kept = await schemas()
  expect(kept).toHaveLength(2)
  expect(kept).toContain(first)
  // Back again: found as it was left, and the one without a history goes.
  const began = Date.now()
  const back = await restart(right)
  await awaitLive(back, pair.base)
  await awaitCaughtUp(database.client, pair.base)
  expect(back.statuses()[0]!.schema).toBe(first)
  expect(await shownRows()).toEqual(replayRows(await readBridgeEvents(pair.base)))
  expect(await schemas()).toEqual([first])
  expect(Date.now() - began).toBeLessThan(60_000)
})
