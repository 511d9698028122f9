import { afterAll, beforeAll, expect, test } from 'vitest'
import type { ChainStatus } from '../../../services/indexer/chainSupervision.ts'
import { ADVISORY_LOCK_CLASSES } from '../../../services/store/database/advisoryLocks.ts'
import { type FaultyRpc, startFaultyRpc } from '../../rig/faultyRpc.ts'
import { type BridgePair, startBridgePair } from './bridgePair.ts'
import {
  awaitStatus,
  startTestDatabase,
  startTestIndexer,
  type TestDatabase,
} from './indexerUnderTest.ts'

let pair: BridgePair
let database: TestDatabase
let rpc: FaultyRpc

beforeAll(async () => {
  ;[pair, database] = await Promise.all([startBridgePair(), startTestDatabase()])
  await pair.play.cancel(await pair.play.create())
  await pair.base.client.mine({ blocks: 200 })
  rpc = await startFaultyRpc(pair.base.config.rpcUrls[0]!)
})

afterAll(() => Promise.all([pair?.stop(), database?.stop(), rpc?.close()]))

test('a fold ends when it loses the lock; the next one reports its progress and then starts Ponder', async () => {
  let isHeld = true
  const held = Promise.withResolvers<void>()
  rpc.inject(({ method }) => {
    if (method !== 'eth_getLogs' || !isHeld) return undefined
    held.resolve()
    return { hold: new Promise(() => {}) }
  })
  const chain = { ...pair.base.config, rpcUrls: [rpc.url], wsUrl: undefined }
  const indexer = await startTestIndexer(database.url, [chain])
  const seen: ChainStatus[] = []
  indexer.onStatus((status) => seen.push(status))

  await held.promise
  // The two don't need their memory at the same time.
  expect(indexer.statuses()[0]).toMatchObject({ state: 'starting', pid: null })
  await database.client.query(
    `select pg_terminate_backend(pid) from pg_locks
     where locktype = 'advisory' and classid = ${ADVISORY_LOCK_CLASSES.indexer}`,
  )
  const { problem } = await awaitStatus(indexer, chain.chainId, ({ state }) => state === 'waiting')
  expect(problem).toMatch(/lost the database connection that holds the lock/)

  isHeld = false
  await awaitStatus(indexer, chain.chainId, ({ state, progress }) => {
    return state === 'backfilling' && progress === 0.95
  })
  expect(seen.at(-1)).toMatchObject({ problem: null })
  await awaitStatus(indexer, chain.chainId, ({ pid }) => pid !== null)
  await indexer.stop()
})
