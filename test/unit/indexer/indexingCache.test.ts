import { expect, test } from 'vitest'
import { loadPonderSchema } from '../../../services/indexer/fold/createPonderTables.ts'
import {
  createIndexingCache,
  EVENTS_BEFORE_FORGETTING,
} from '../../../services/indexer/ponder/replacements/indexingCache.ts'

type Reading = { get(wanted: { table: unknown; key: object }): Promise<unknown> }

/** Ponder's cache as an indexer has it that has caught up, over a database that counts its reads. */
async function cacheOf() {
  const schema = (await loadPonderSchema('some')) as { bridge: unknown }
  let reads = 0
  const wrap = async () => {
    reads += 1
    return [{ chainId: 1, reads }]
  }
  const cache = createIndexingCache({
    common: { logger: { child: () => ({}) }, metrics: anything, options: {} },
    schemaBuild: { schema },
    crashRecoveryCheckpoint: [],
    eventCount: {},
  })
  const read = async (chainId = 1) => {
    await (cache as unknown as Reading).get({ table: schema.bridge, key: { chainId } })
    return reads
  }
  const begins = async (events: number) => {
    cache.qb = { wrap }
    await cache.prefetch({ events: Array(events).fill({ eventCallback: { name: 'any' } }) })
  }
  const attempt = () => {
    cache.qb = { wrap, rollback() {} }
  }
  return { begins, attempt, read }
}

/** Metrics, whichever are asked for. */
const anything: unknown = new Proxy(() => anything, { get: () => anything })

test('a row is read once, however many blocks pass that don’t touch it', async () => {
  const { begins, attempt, read } = await cacheOf()
  for (let block = 0; block < 5; block++) {
    await begins(0)
    attempt()
    expect(await read()).toBe(1)
  }
})

test('a row that thousands of events don’t touch is forgotten', async () => {
  const { begins, attempt, read } = await cacheOf()
  await begins(1)
  attempt()
  await read()
  await begins(EVENTS_BEFORE_FORGETTING)
  await begins(EVENTS_BEFORE_FORGETTING)
  attempt()
  expect(await read()).toBe(2)
})

test('a second attempt at a block reads its rows again', async () => {
  const { begins, attempt, read } = await cacheOf()
  await begins(1)
  attempt()
  await read()
  attempt()
  expect(await read()).toBe(2)
})
