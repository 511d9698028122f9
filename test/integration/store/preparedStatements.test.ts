import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  countStatements,
  prepareOften,
} from '../../../services/store/database/preparedStatements.ts'
import { type PostgresUnderTest, startPostgresUnderTest } from '../../postgresUnderTest.ts'

/** Statements that the connection may hold prepared. */
const MOST = 5

let postgres: PostgresUnderTest
let client: pg.Client

beforeAll(async () => {
  postgres = await startPostgresUnderTest()
  client = new pg.Client(postgres.databaseUrl)
  await client.connect()
})
afterAll(async () => {
  await client?.end()
  await postgres?.stop()
})

const prepared = async () => {
  const { rows } = await client.query({
    text: `select statement from pg_prepared_statements where name like 'cairn_%'`,
  })
  return rows.map(({ statement }) => statement)
}

test('repeated reads are prepared; writes and single reads are not', async () => {
  prepareOften(client, countStatements({ after: 2 }), MOST)
  await client.query({ text: 'create view shown as select 1 as one' })
  for (let time = 0; time < 3; time++) {
    const { rows } = await client.query('select one + $1::int as sum from shown', [time])
    expect(rows).toEqual([{ sum: 1 + time }])
    await client.query(`select ${time}`, [])
    await client.query('create temp table if not exists written (one int)', [])
  }
  expect(await prepared()).toEqual(['select one + $1::int as sum from shown'])
})

test('a view replaced by one with other columns is read correctly', async () => {
  const read = () => client.query('select * from shown', [])
  for (let time = 0; time < 3; time++) expect((await read()).rows).toEqual([{ one: 1 }])
  expect(await prepared()).toContain('select * from shown')
  await client.query({ text: 'drop view shown' })
  await client.query({ text: `create view shown as select 'two' as two` })
  for (let time = 0; time < 4; time++) expect((await read()).rows).toEqual([{ two: 'two' }])
})

test('a faulty statement fails with PostgreSQL’s own error', async () => {
  for (let time = 0; time < 4; time++) {
    await expect(client.query('select nothing from shown', [])).rejects.toMatchObject({
      code: '42703',
    })
  }
})

/** How many statements the driver believes to be prepared. */
function known(): number {
  const { connection } = client as unknown as { connection: { parsedStatements: object } }
  return Object.keys(connection.parsedStatements).length
}

test('many frequent statements leave only the newest few prepared', async () => {
  for (let shape = 0; shape < 200; shape++) {
    for (let time = 0; time < 4; time++) {
      const { rows } = await client.query(`select $1::int + ${shape} as sum`, [time])
      expect(rows).toEqual([{ sum: time + shape }])
    }
    expect(known()).toBeLessThanOrEqual(MOST)
  }
  const newest = Array.from({ length: MOST }, (_, n) => `select $1::int + ${199 - n} as sum`)
  expect((await prepared()).sort()).toEqual(newest.sort())
})

test('an evicted statement is prepared again when used again', async () => {
  const read = () => client.query('select $1::int + 0 as sum', [1])
  expect(await prepared()).not.toContain('select $1::int + 0 as sum')
  expect((await read()).rows).toEqual([{ sum: 1 }])
  expect(await prepared()).toContain('select $1::int + 0 as sum')
})

test('evicting never breaks a transaction, not even for a statement that never parsed', async () => {
  for (let time = 0; time < 4; time++) {
    await expect(client.query('select nothing at all', [])).rejects.toThrow()
  }
  await client.query({ text: 'begin' })
  for (let n = 0; n < 40; n++) {
    const { rows } = await client.query(`select $1::int - ${n % 8} as rest`, [n])
    expect(rows).toEqual([{ rest: n - (n % 8) }])
  }
  await client.query({ text: 'commit' })
  expect((await prepared()).length).toBe(MOST)
})

test('a long statement is never prepared', () => {
  const frequent = countStatements({ after: 1, longest: 20 })
  expect(frequent.of('select 1 -- short')).not.toBeNull()
  expect(frequent.of('select 1 -- and so on')).toBeNull()
})
