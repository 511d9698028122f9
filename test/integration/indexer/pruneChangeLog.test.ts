import { afterAll, beforeAll, expect, test } from 'vitest'
import { pruneChangeLog } from '../../../services/indexer/pruneChangeLog.ts'
import { migrate } from '../../../services/store/database/migrate.ts'
import { createPoolUnderTest } from '../../postgresUnderTest.ts'
import { until } from '../../rig/until.ts'
import { startTestDatabase, startTestIndexer, type TestDatabase } from './indexerUnderTest.ts'

let database: TestDatabase

beforeAll(async () => {
  database = await startTestDatabase()
  await migrate(database.url)
})

afterAll(() => database?.stop())

/** Lines of intents 1 and 2 of two chains, and of no intent, from `from` to `to` days ago. */
async function fill(from: number, to: number): Promise<void> {
  await database.client.query(
    `insert into app.change_log (source_chain_id, intent_id, table_name, operation, changed_at)
     select chain, intent, 'event', 'insert', now() - make_interval(days => day)
     from generate_series($1::int, $2::int, -1) day, generate_series(1, 2) chain,
       (values (1), (2), (null)) intents (intent)
     order by day desc`,
    [from, to],
  )
}

const lines = async (condition: string): Promise<string[]> =>
  (
    await database.client.query(
      `select source_chain_id || ':' || coalesce(intent_id::text, '-') as line
       from app.change_log where ${condition} order by 1`,
    )
  ).rows.map(({ line }) => line)

const old = `changed_at < now() - interval '7 days'`

test('the change log keeps a week and the newest line of each intent', async () => {
  await fill(20, 10)
  const pool = createPoolUnderTest({ connectionString: database.url })
  const top = 'select max(sequence) from app.change_log'
  const before = await database.client.query(top)
  expect(await pruneChangeLog(pool, { batch: 7 })).toMatchObject({ deleted: 66 - 5 })
  expect(await lines(old)).toHaveLength(5)
  expect((await database.client.query(top)).rows, 'the newest of all').toEqual(before.rows)

  await database.client.query(`delete from app.change_log`)
  await fill(20, 1)
  await database.client.query(
    `insert into app.change_log (source_chain_id, intent_id, table_name, operation, changed_at)
     values (1, 3, 'event', 'insert', now() - interval '9 days')`,
  )
  await pruneChangeLog(pool)
  expect(await lines(old)).toEqual(['1:3'])
  expect((await lines(`not ${old}`)).length).toBeGreaterThanOrEqual(36)
  await pool.end()
})

test('a later run continues where the previous one ended, and deletes what that one had to keep', async () => {
  const pool = createPoolUnderTest({ connectionString: database.url })
  await database.client.query('delete from app.change_log')
  await fill(20, 10)
  const { upTo } = await pruneChangeLog(pool)
  const before = `sequence <= ${upTo}`
  expect(await lines(before)).toHaveLength(4)
  await fill(9, 8)
  expect(await pruneChangeLog(pool, { after: upTo })).toMatchObject({ deleted: 5 + 12 - 5 })
  expect(await lines(before)).toEqual([])
  expect(await lines(old)).toHaveLength(5)
  const end = (await pruneChangeLog(pool)).upTo
  expect(await pruneChangeLog(pool, { after: end })).toEqual({ deleted: 0, upTo: end })
  await database.client.query('delete from app.change_log')
  await pool.end()
})

test('a later run deletes lines that were too recent for the previous one', async () => {
  const pool = createPoolUnderTest({ connectionString: database.url })
  await database.client.query('delete from app.change_log')
  await fill(9, 5)
  const { deleted, upTo } = await pruneChangeLog(pool)
  expect(deleted).toBe(3 * 6)
  await database.client.query(
    `update app.change_log set changed_at = changed_at - interval '9 days'`,
  )
  expect(await pruneChangeLog(pool, { after: upTo })).toMatchObject({ deleted: 2 * 6 - 5 })
  await database.client.query('delete from app.change_log')
  await pool.end()
})

test('the indexer prunes the change log', async () => {
  await fill(20, 1)
  const indexer = await startTestIndexer(database.url, [])
  await until(async () => (await lines(old)).length === 0, 'pruned')
  await indexer.stop()
})
