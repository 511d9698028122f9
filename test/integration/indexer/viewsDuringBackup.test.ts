import type pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { deleteChainIndex } from '../../../services/indexer/follow/deleteChainIndex.ts'
import { activateSchema, ensureViews } from '../../../services/indexer/tables/activateSchema.ts'
import { dropUnlessRead } from '../../../services/indexer/tables/createViews.ts'
import { migrate } from '../../../services/store/database/migrate.ts'
import { createChainTables } from '../../../tools/seed/createChainTables.ts'
import {
  createPoolUnderTest,
  type PostgresUnderTest,
  startPostgresUnderTest,
} from '../../postgresUnderTest.ts'

let postgres: PostgresUnderTest
let pool: pg.Pool

beforeAll(async () => {
  postgres = await startPostgresUnderTest()
  await migrate(postgres.databaseUrl)
  pool = createPoolUnderTest({ connectionString: postgres.databaseUrl })
})

afterAll(async () => {
  await pool?.end()
  await postgres?.stop()
})

test('an indexer starts, again and again, while a backup reads the views', async () => {
  await ensureViews(pool, [84532])
  const backup = await postgres.connect()
  await backup.query('begin')
  await backup.query('select from cairn.intent')
  const former = async () => {
    const { rows } = await pool.query(
      `select count(*)::integer as count from pg_namespace where nspname like 'cairn\\_former%'`,
    )
    return rows[0].count
  }
  for (let start = 1; start <= 2; start++) await ensureViews(pool, [84532])
  expect((await backup.query('select from cairn.intent')).rowCount).toBe(0)
  await backup.query('commit')
  await ensureViews(pool, [84532])
  expect(await former()).toBe(0)
})

test('a new version’s index takes over while a backup reads the old one’s, which goes later', async () => {
  const client = await postgres.connect()
  const former = { chainId: 84532, schema: 'cairn_84532_f0f0f0f0' }
  const next = { chainId: 84532, schema: 'cairn_84532_0e0e0e0e' }
  for (const chain of [next, former]) {
    await client.query('update app.projection set active = false')
    await createChainTables(client, { ...chain, chainName: 'base_sepolia' })
  }
  const backup = await postgres.connect()
  await backup.query('begin')
  await backup.query(`select from "${former.schema}".event`)
  expect(await activateSchema(pool, next)).toEqual({
    dropped: [],
    busy: [former.schema],
    kept: [],
  })
  const { rows } = await client.query('select schema_name from app.projection where active')
  expect(rows).toEqual([{ schema_name: next.schema }])
  await backup.query('commit')
  expect((await activateSchema(pool, next)).dropped).toEqual([former.schema])
})

test('an index is deleted while a backup reads it, and no other reader waits', async () => {
  const client = await postgres.connect()
  await client.query('update app.projection set active = false')
  const shown = { chainId: 84532, schema: 'cairn_84532_abababab' }
  await createChainTables(client, { ...shown, chainName: 'base_sepolia' })
  await ensureViews(pool, [84532])
  const backup = await postgres.connect()
  await backup.query('begin')
  await backup.query('select from cairn.event')
  const deleted = deleteChainIndex(pool, { chainId: 84532, fork: 0 })
  // Requests read the views in any order.
  await client.query(`set deadlock_timeout = '100ms'`)
  for (const view of ['intent', 'event', 'chain_clock', 'bid'])
    await client.query(`select from cairn.${view}`)
  await deleted
  const schemas = async () => {
    const { rows } = await pool.query(
      `select nspname from pg_namespace where nspname = any($1) or starts_with(nspname, 'cairn_former')`,
      [[shown.schema]],
    )
    return rows.length
  }
  expect(await schemas()).toBeGreaterThan(0)
  expect((await client.query(`select to_regnamespace($1) as "left"`, [shown.schema])).rows).toEqual(
    [{ left: null }],
  )
  await backup.query('select from cairn.bid')
  await backup.query('commit')
  await ensureViews(pool, [84532])
  expect(await schemas()).toBe(0)
})

test.each([
  ['first', 'second'],
  ['second', 'first'],
])('a backup that locks table %s and then %s meanwhile is in nobody’s way', async (held, next) => {
  const [backup, dropper] = [await postgres.connect(), await postgres.connect()]
  await backup.query('create schema locked create table first () create table second ()')
  // PostgreSQL ends the one that has waited so long in a deadlock.
  await backup.query(`set deadlock_timeout = '600ms'`)
  await backup.query('begin')
  await backup.query(`select from locked.${held}`)
  const dropped = dropUnlessRead(dropper, 'locked')
  dropped.catch(() => {})
  await new Promise((resolve) => setTimeout(resolve, 100))
  await backup.query(`select from locked.${next}`)
  expect(await dropped).toBe(false)
  await backup.query('commit')
  expect(await dropUnlessRead(dropper, 'locked')).toBe(true)
})
