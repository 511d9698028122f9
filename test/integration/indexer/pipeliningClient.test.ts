import { drizzle } from 'drizzle-orm/node-postgres'
import type pg from 'pg'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import copy from '../../../services/indexer/ponder/replacements/copyStatement.ts'
import pgOfPonder from '../../../services/indexer/ponder/replacements/pipeliningClient.ts'
import { createPoolUnderTest } from '../../postgresUnderTest.ts'
import { startTestDatabase, type TestDatabase } from './indexerUnderTest.ts'

const { getPonderCheckpointTable } = await import(
  new URL('database/index.js', import.meta.resolve('ponder')).href
)

let database: TestDatabase
let pool: pg.Pool
let client: pg.PoolClient

beforeAll(async () => {
  database = await startTestDatabase()
  pool = createPoolUnderTest({ connectionString: database.url, Client: pgOfPonder.Client, max: 1 })
  client = await pool.connect()
})

afterAll(async () => {
  client?.release()
  await pool?.end()
  await database?.stop()
})

beforeEach(async () => {
  await database.client.query(
    'drop table if exists numbers; create table numbers (n int primary key)',
  )
})

/** The part of a client that counts what it has sent. */
type Sending = { connection: { stream: { bytesWritten: number } } }

/** Copies a text as Ponder does. */
function copied(text: string, table = 'numbers'): Promise<unknown> {
  const stream = client.query(
    copy.from(`COPY ${table} FROM STDIN`) as never,
  ) as unknown as ReturnType<typeof copy.from>
  return new Promise((resolve, reject) => {
    stream.on('finish', () => resolve('finished'))
    stream.on('error', reject)
    stream.write(text)
    stream.end()
  })
}

const numbers = async () =>
  (await database.client.query('select n from numbers order by n')).rows.map(({ n }) => n)

test('statements and COPY data are sent before earlier ones are answered', async () => {
  await client.query('begin')
  await client.query('select 1')
  const bytesSent = () => (client as unknown as Sending).connection.stream.bytesWritten
  const before = bytesSent()
  const answers = [client.query('select pg_sleep(0.2)')]
  const grown = [bytesSent() - before]
  answers.push(client.query('insert into numbers values ($1)', [1]))
  grown.push(bytesSent() - before)
  const text = copied('2\n3')
  grown.push(bytesSent() - before)
  answers.push(client.query('select count(*)::int as count from numbers'))
  grown.push(bytesSent() - before)
  expect(grown).toEqual([...new Set(grown)].sort((one, other) => one - other))
  expect(grown[0]).toBeGreaterThan(0)
  await text
  expect((await answers[2])?.rows).toEqual([{ count: 3 }])
  await client.query('commit')
  expect(await numbers()).toEqual([1, 2, 3])
})

test('a statement whose result nobody reads resolves at once; if it fails, the next awaited one fails', async () => {
  await client.query('begin')
  await client.query('insert into numbers values (1)')
  expect(await client.query('RELEASE nothing')).toMatchObject({ rows: [] })
  await expect(client.query('insert into numbers values (2)')).rejects.toThrow(
    'savepoint "nothing" does not exist',
  )
  await client.query('rollback')
  expect((await client.query('select 1 as n')).rows).toEqual([{ n: 1 }])
  expect(await numbers()).toEqual([])
})

test('nobody reads the result of a live block’s checkpoint: the commit tells whether it was written', async () => {
  const database = drizzle.mock({ casing: 'snake_case' })
  const checkpoint = getPonderCheckpointTable('nowhere')
  const { sql } = database.update(checkpoint).set({ latestCheckpoint: '' }).toSQL()
  await client.query('begin')
  expect(await client.query(sql, [''])).toMatchObject({ rows: [] })
  await expect(client.query('commit')).rejects.toThrow(
    '"nowhere._ponder_checkpoint" does not exist',
  )
  await client.query('rollback')
})

test('a commit after a failed unread statement rejects with its error', async () => {
  await client.query('begin')
  await client.query('insert into numbers values (1)')
  await client.query('RELEASE nothing')
  await expect(client.query('commit')).rejects.toThrow('savepoint "nothing" does not exist')
  // As Drizzle does.
  await client.query('rollback')
  expect(await numbers()).toEqual([])
})

test.each([
  ['a text that PostgreSQL can’t read', '1\nnone', 'numbers', 'invalid input syntax'],
  ['a text for a table that isn’t there', '1', 'nowhere', 'relation "nowhere" does not exist'],
])('%s fails, and later statements are answered', async (_, text, table, complaint) => {
  const [failed, next] = await Promise.allSettled([
    copied(text, table),
    client.query('select 1 as n'),
  ])
  expect(failed).toMatchObject({
    status: 'rejected',
    reason: { message: expect.stringContaining(complaint) },
  })
  expect(next).toMatchObject({ status: 'fulfilled', value: { rows: [{ n: 1 }] } })
  expect(await numbers()).toEqual([])
})

test('a broken connection fails every statement sent over it', async () => {
  const broken = await createPoolUnderTest({
    connectionString: database.url,
    Client: pgOfPonder.Client,
  }).connect()
  broken.on('error', () => {})
  const { rows } = await broken.query('select pg_backend_pid() as pid')
  await broken.query('begin')
  await broken.query('insert into numbers values (1)')
  const slow = Promise.allSettled([broken.query('select pg_sleep(60)'), broken.query('commit')])
  await database.client.query('select pg_terminate_backend($1)', [rows[0].pid])
  expect((await slow).map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  await expect(broken.query('select 1')).rejects.toThrow()
  broken.release(true)
  expect(await numbers()).toEqual([])
})
