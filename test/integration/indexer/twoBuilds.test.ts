import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import type { Indexer } from '../../../services/indexer/startIndexer.ts'
import { type BridgePair, startBridgePair } from './bridgePair.ts'
import {
  awaitLive,
  awaitStatus,
  startTestDatabase,
  startTestIndexer,
  type TestDatabase,
} from './indexerUnderTest.ts'

let pair: BridgePair
let database: TestDatabase
let former: Indexer
const indexers: Indexer[] = []

beforeAll(async () => {
  ;[pair, database] = await Promise.all([startBridgePair(), startTestDatabase()])
  await pair.play.cancel(await pair.play.create())
  await pair.base.client.mine({ blocks: 70 })
})

afterAll(async () => {
  await Promise.all(indexers.map((indexer) => indexer.stop()))
  await Promise.all([pair?.stop(), database?.stop()])
  vi.unstubAllEnvs()
})

test('an index needs no password in the URL', async () => {
  const url = new URL(database.url)
  vi.stubEnv('PGPASSWORD', url.password)
  url.password = ''
  former = await startTestIndexer(url.href, [pair.base.config])
  indexers.push(former)
  await awaitLive(former, pair.base)
})

test('an index of another version takes over from one that goes on, and readers never go back', async () => {
  const { base } = pair
  const { client } = database
  const shown = async () => {
    const { rows } = await client.query(
      `select p.schema_name as schema, clock.block_number::integer as block
       from app.projection p join cairn.chain_clock clock using (chain_id) where p.active`,
    )
    return rows[0] as { schema: string; block: number }
  }
  const { schema } = await shown()

  const mining = setInterval(() => void base.client.mine({ blocks: 1 }).catch(() => {}), 200)
  const seen: { schema: string; block: number }[] = []
  try {
    // Another build's schema, as of another version.
    const successor = await startTestIndexer(database.url, [{ ...base.config, startBlock: 1 }])
    indexers.push(successor)
    const superseded = awaitStatus(former, base.chainId, ({ state }) => state === 'superseded')
    const until = { isOver: false }
    void superseded.then(() => {
      until.isOver = true
    })
    while (!until.isOver) {
      seen.push(await shown())
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
    seen.push(await shown())
  } finally {
    clearInterval(mining)
  }
  expect(seen.at(-1)?.schema).not.toBe(schema)
  const steps = seen.map(({ block }, at) => block - (seen[at - 1]?.block ?? block))
  // Of two indexes at the head, either may have seen the last blocks first; the final block is 30 or more behind.
  expect(Math.min(...steps)).toBeGreaterThan(-20)
  const { rows } = await client.query('select to_regnamespace($1) as former', [schema])
  expect(rows[0].former).toBeNull()
})
