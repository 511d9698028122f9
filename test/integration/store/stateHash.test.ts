import { sql } from 'kysely'
import type pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { formatPostgresRow } from '../../../core/rows/formatPostgresRow.ts'
import { type ChainRows, computeStateHash } from '../../../core/rows/stateHash.ts'
import { measureStates } from '../../../services/indexer/check/initialiseStateHashes.ts'
import { readStateHashes } from '../../../services/store/chains/readStateHashes.ts'
import { selectList } from '../../../services/store/database/columnSql.ts'
import { type OpenDatabase, openDatabase } from '../../../services/store/database/openDatabase.ts'
import type { TableName } from '../../../src/projection/rowTypes.ts'
import { TABLE_NAMES, TABLES } from '../../../src/table/tableShapes.ts'
import { seedDatabase } from '../../../tools/seed/seedDatabase.ts'
import {
  createPoolUnderTest,
  type PostgresUnderTest,
  startPostgresUnderTest,
} from '../../postgresUnderTest.ts'

const UNTIL = 1_790_000_000
const BASE = 84_532
const SCHEMA = 'cairn_84532_seeded'

let postgres: PostgresUnderTest
let database: OpenDatabase
let client: pg.Client
let pool: pg.Pool

beforeAll(async () => {
  postgres = await startPostgresUnderTest()
  const { databaseUrl } = postgres
  await seedDatabase({ databaseUrl, intents: 200, seed: 3, until: UNTIL })
  database = openDatabase({ databaseUrl })
  client = await postgres.connect()
  pool = createPoolUnderTest({ connectionString: databaseUrl, max: 2 })
})

afterAll(async () => {
  await database?.close()
  await pool?.end()
  await postgres?.stop()
})

async function rowsOf(table: TableName) {
  const { sqlName, key } = TABLES[table]
  const query = sql<object>`select ${sql.raw(selectList(table, 't'))}
    from ${sql.table(`cairn.${sqlName}`)} t
    where ${sql.ref(`t.${key[0] === 'chainId' ? 'chain_id' : key[0] === 'destChainId' ? 'dest_chain_id' : 'source_chain_id'}`)} = ${BASE}`
  return (await query.execute(database.db)).rows
}

/** The hash as replay makes it: over all rows, one by one. */
async function hashOfRows() {
  const tables = await Promise.all(TABLE_NAMES.map(async (table) => [table, await rowsOf(table)]))
  return computeStateHash(Object.fromEntries(tables) as ChainRows)
}

async function known() {
  const hashes = await readStateHashes(database.db)
  return hashes.find(({ chainId }) => chainId === BASE)?.stateHash
}

test('a row’s text equals PostgreSQL’s', async () => {
  for (const table of TABLE_NAMES) {
    const { sqlName, key } = TABLES[table]
    const { rows } = await client.query(
      `select t::text as text from "${SCHEMA}"."${sqlName}" t order by 1 limit 5000`,
    )
    const texts = (await rowsOf(table)).map((row) => formatPostgresRow(table, row as never))
    expect(texts.sort(), `${sqlName} by ${key}`).toEqual(rows.map(({ text }) => text).sort())
  }
})

test('the summed tables are those of the projection', async () => {
  const { rows } = await client.query('select app.projected_tables($1) as name', [SCHEMA])
  const names = TABLE_NAMES.map((table) => TABLES[table].sqlName)
  expect(rows.map(({ name }) => name)).toEqual(names.toSorted())
})

test('the hash is unknown until the rows are counted, whatever happens meanwhile', async () => {
  expect(await known()).toBeNull()
  await client.query('select app.install_row_triggers($1)', [SCHEMA])
  expect(await known()).toBeNull()
  await client.query(`update "${SCHEMA}".intent set blob_count = 7 where intent_id % 3 = 0`)
  expect(await measureStates(pool)).toEqual([SCHEMA])
  expect(await known()).toBe(await hashOfRows())
  expect(await measureStates(pool)).toEqual([])
})

test('the hash follows every kind of write, and returns when they are reverted', async () => {
  const before = await known()
  const writes = [
    `update "${SCHEMA}".intent set best_bid = coalesce(best_bid, 0) + 1, solver = null`,
    `delete from "${SCHEMA}".bid where bid_index = 2`,
    `insert into "${SCHEMA}".escrow values (${BASE}, '0x01', 1, 2, 3, 4, 5), (${BASE}, '0x02', 0, 0, 0, 0, 0)`,
    `insert into "${SCHEMA}".escrow values (${BASE}, '0x01', 0, 0, 0, 0, 0), (${BASE}, '0x03', 9, 9, 9, 9, 9)
       on conflict (chain_id, token) do update set open = excluded.open`,
    `with gone as (delete from "${SCHEMA}".pair_day where day % 2 = 0 returning *)
       insert into "${SCHEMA}".pair_day select source_chain_id, dest_chain_id, token_a, token_b, day + 100000,
         created, bids, completed, cancelled, expired, failed, created_volume_a, completed_volume_a,
         completed_volume_b, fees, rewards, senders, senders_of_chain, completion_times from gone`,
    `update "${SCHEMA}".bridge set creation_paused = true`,
    `update "${SCHEMA}".event set args = args || '{"quote": "a \\"b\\", (c) \\\\ d"}' where log_index = 0`,
    `update "${SCHEMA}".intent set phase = phase where false`,
  ]
  const seen = new Set([before])
  for (const write of writes) {
    await client.query(write)
    const hash = await known()
    expect(hash, write).toBe(await hashOfRows())
    seen.add(hash)
  }
  expect(seen.size).toBe(writes.length)

  await client.query('begin')
  await client.query(`delete from "${SCHEMA}".event`)
  await client.query('rollback')
  expect(await known()).toBe(await hashOfRows())
})

test('rows written by COPY count like any other', async () => {
  await client.query(`create table if not exists copied (like "${SCHEMA}".bid)`)
  await client.query(`insert into copied select * from "${SCHEMA}".bid`)
  await client.query(`delete from "${SCHEMA}".bid`)
  const without = await known()
  await client.query(`insert into "${SCHEMA}".bid select * from copied`)
  expect(await known()).toBe(await hashOfRows())
  expect(await known()).not.toBe(without)
})

test('counting during writes gives the same sums as counting afterwards', async () => {
  const writing = (async () => {
    for (let round = 0; round < 15; round++) {
      await client.query(`update "${SCHEMA}".intent set updated_block = updated_block + 1`)
    }
  })()
  for (let time = 0; time < 4; time++) {
    await pool.query('select app.measure_state($1)', [SCHEMA])
  }
  await writing
  expect(await known()).toBe(await hashOfRows())
})

test('a schema’s sums are deleted with its projection', async () => {
  await client.query('begin')
  await client.query('delete from app.projection where schema_name = $1', [SCHEMA])
  const { rows } = await client.query(
    'select schema_name from app.state_base union select schema_name from app.state_change',
  )
  await client.query('rollback')
  expect(rows).toEqual([])
})
