import { afterAll, beforeAll, test } from 'vitest'
import type { Indexer } from '../../../services/indexer/startIndexer.ts'
import { compareWithReplay } from '../../sim/compareWithReplay.ts'
import { listFewReorgCases } from '../../sim/reorgCases.ts'
import { runReorgCase } from '../../sim/runReorgCase.ts'
import { type BridgePair, startBridgePair } from './bridgePair.ts'
import {
  awaitLive,
  startTestDatabase,
  startTestIndexer,
  type TestDatabase,
} from './indexerUnderTest.ts'

let pair: BridgePair
let database: TestDatabase
let indexer: Indexer

beforeAll(async () => {
  ;[pair, database] = await Promise.all([startBridgePair(), startTestDatabase()])
  const chains = [pair.base, pair.horizen]
  // Deep below: the reorganisations stay within the last 30 blocks, as on the chains we follow.
  await Promise.all(chains.map(({ client }) => client.mine({ blocks: 70 })))
  indexer = await startTestIndexer(
    database.url,
    chains.map(({ config }) => config),
  )
  await Promise.all(chains.map((chain) => awaitLive(indexer, chain)))
})

afterAll(async () => {
  await indexer?.stop()
  await Promise.all([pair?.stop(), database?.stop()])
})

// All 90 cases: npm run test:sim -- --reorgs
test.each(
  listFewReorgCases(),
)('a reorg of $step, $depth deep, $fate: rows equal a replay’s, and orphans are recorded', async (one) => {
  await runReorgCase({ pair, databaseUrl: database.url, client: database.client }, one)
})

test('after all reorgs, both chains equal a replay', async () => {
  await compareWithReplay(database.url, [pair.base, pair.horizen])
})
