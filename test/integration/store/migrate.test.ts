import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type pg from 'pg'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { describeDatabaseProblem } from '../../../services/store/database/databaseProblem.ts'
import {
  MigrationBlockedError,
  MigrationMismatchError,
  migrate,
} from '../../../services/store/database/migrate.ts'
import { type PostgresUnderTest, startPostgresUnderTest } from '../../postgresUnderTest.ts'
import { until } from '../../rig/until.ts'

let postgres: PostgresUnderTest
let directory: string
let client: pg.Client

beforeAll(async () => {
  postgres = await startPostgresUnderTest()
  client = await postgres.connect()
  directory = await mkdtemp(join(tmpdir(), 'cairn-migrate-'))
  const migrations = new URL('../../../services/store/migrations', import.meta.url)
  await cp(migrations, directory, { recursive: true })
  await migrate(postgres.databaseUrl, directory)
  await writeFile(
    join(directory, '9999_later.sql'),
    'alter table app.transaction add column later text',
  )
})

afterAll(async () => {
  await postgres?.stop()
  await rm(directory, { recursive: true, force: true })
})

test('a backup under way ends a migration with its name, and readers don’t wait for either', async () => {
  const backup = await postgres.connect()
  await backup.query(`set application_name = 'pg_dump'`)
  await backup.query('begin')
  await backup.query('select from app.transaction')
  const [{ pid }] = (await backup.query('select pg_backend_pid() as pid')).rows
  let isOver = false
  const migrated = migrate(postgres.databaseUrl, directory).finally(() => {
    isOver = true
  })
  migrated.catch(() => {})
  let longest = 0
  while (!isOver) {
    const began = performance.now()
    await client.query('select from app.transaction limit 1')
    longest = Math.max(longest, performance.now() - began)
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  await expect(migrated).rejects.toThrow(MigrationBlockedError)
  await expect(migrated).rejects.toThrow(`pg_dump (process ${pid})`)
  expect(longest).toBeLessThan(8_000)
  await backup.query('commit')
})

test('another user than the tables’ owner is told so', async () => {
  await client.query(`create role other login password 's3cret'`)
  await client.query('grant create on database cairn to other; grant all on schema app to other')
  await client.query('grant all on all tables in schema app to other')
  const url = Object.assign(new URL(postgres.databaseUrl), {
    username: 'other',
    password: 's3cret',
  }).href
  const error = await migrate(url, directory).catch((refused: unknown) => refused)
  expect(describeDatabaseProblem(error, 'DATABASE_URL', url)).toMatch(
    /^DATABASE_URL: user "other" isn't the owner .*must be owner of table transaction.*reassign owned by … to "other"$/,
  )
})

test('a database whose encoding lacks characters is refused before any is lost', async () => {
  await client.query(`create database latin template template0 encoding 'LATIN1' locale 'C'`)
  const url = Object.assign(new URL(postgres.databaseUrl), { pathname: '/latin' }).href
  await expect(migrate(url, directory)).rejects.toThrow(
    "the database's encoding, LATIN1, can't store every text",
  )
})

test('once it is over, the migration is applied, and the version before refuses the database', async () => {
  expect(await migrate(postgres.databaseUrl, directory)).toEqual(['9999_later.sql'])
  const refused = migrate(postgres.databaseUrl)
  await expect(refused).rejects.toThrow(MigrationMismatchError)
  await expect(refused).rejects.toThrow(
    'a newer version has migrated the database (9999_later.sql): start that version',
  )
})

test('a backup that wants a table which the migration has isn’t ended for a deadlock', async () => {
  const migrations = await mkdtemp(join(tmpdir(), 'cairn-migrate-'))
  onTestFinished(() => rm(migrations, { recursive: true }))
  const create = 'create table two.first (); create table two.second ()'
  await writeFile(join(migrations, '0001_create.sql'), create)
  await migrate(postgres.databaseUrl, migrations, 'two')
  const alter = 'alter table two.first add later text; alter table two.second add later text'
  await writeFile(join(migrations, '0002_alter.sql'), alter)
  const backup = await postgres.connect()
  // PostgreSQL ends the one that has waited so long in a deadlock.
  await backup.query(`set deadlock_timeout = '600ms'`)
  await backup.query('begin')
  await backup.query('select from two.second')
  const migrated = migrate(postgres.databaseUrl, migrations, 'two')
  migrated.catch(() => {})
  await until(async () => {
    const { rowCount } = await client.query('select from pg_locks where not granted')
    return rowCount !== 0
  }, 'the migration waits')
  await backup.query('select from two.first')
  await backup.query('commit')
  expect(await migrated).toEqual(['0002_alter.sql'])
})
