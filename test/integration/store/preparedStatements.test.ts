import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createStatementNames, prepareOften } from '../../../services/store/preparedStatements.ts'
import { type PostgresUnderTest, startPostgresUnderTest } from '../../postgresUnderTest.ts'

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

test('reads that come again are prepared, writes and those that come once are not', async () => {
  prepareOften(client, createStatementNames({ after: 2, names: 2 }))
  await client.query({ text: 'create view shown as select 1 as one' })
  for (let time = 0; time < 3; time++) {
    const { rows } = await client.query('select one + $1::int as sum from shown', [time])
    expect(rows).toEqual([{ sum: 1 + time }])
    await client.query(`select ${time}`, [])
    await client.query('create temp table if not exists written (one int)', [])
  }
  expect(await prepared()).toEqual(['select one + $1::int as sum from shown'])
})

test('a view that is replaced by one with other columns is read again as it is', async () => {
  const read = () => client.query('select * from shown', [])
  for (let time = 0; time < 3; time++) expect((await read()).rows).toEqual([{ one: 1 }])
  expect(await prepared()).toContain('select * from shown')
  await client.query({ text: 'drop view shown' })
  await client.query({ text: `create view shown as select 'two' as two` })
  for (let time = 0; time < 4; time++) expect((await read()).rows).toEqual([{ two: 'two' }])
})

test('what is wrong with a statement is told as ever', async () => {
  for (let time = 0; time < 4; time++) {
    await expect(client.query('select nothing from shown', [])).rejects.toMatchObject({
      code: '42703',
    })
  }
})
