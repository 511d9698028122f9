import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import type pg from 'pg'
import { ADVISORY_LOCKS } from './advisoryLocks.ts'
import { openSingleConnection } from './openSingleConnection.ts'

const MIGRATIONS = fileURLToPath(new URL('../migrations/', import.meta.url))

type Migration = { name: string; sql: string; checksum: string }

/** An applied migration differs from the one on disk, or is missing there. */
export class MigrationMismatchError extends Error {
  override name = 'MigrationMismatchError'
}

/**
 * Applies pending migrations in the order of their names, in one transaction. Concurrent processes take turns. Forward only:
 * an applied migration is never edited.
 *
 * @param databaseUrl PostgreSQL 15 or newer
 * @param directory of the numbered `.sql` files; default `services/store/migrations`
 * @param schema whose table `migration` records what was applied
 * @returns names of the migrations applied now
 * @throws MigrationMismatchError if an applied migration was changed or is missing
 */
export async function migrate(
  databaseUrl: string,
  directory = MIGRATIONS,
  schema = 'app',
): Promise<string[]> {
  const migrations = await readMigrations(directory)
  const client = await openSingleConnection(databaseUrl, 'cairn_migrate')
  try {
    await client.query('begin')
    await client.query('select pg_advisory_xact_lock($1)', [ADVISORY_LOCKS.migration])
    const applied = await readApplied(client, schema)
    checkUnchanged(applied, migrations)
    const pending = migrations.slice(applied.length)
    for (const migration of pending) await apply(client, migration, schema)
    await client.query('commit')
    return pending.map(({ name }) => name)
  } finally {
    // Ending the connection rolls back what was not committed.
    await client.end()
  }
}

async function readMigrations(directory: string): Promise<Migration[]> {
  const names = (await readdir(directory)).filter((name) => /^\d{4}_\w+\.sql$/.test(name)).sort()
  return Promise.all(
    names.map(async (name) => {
      const sql = await readFile(`${directory}/${name}`, 'utf8')
      return { name, sql, checksum: createHash('sha256').update(sql).digest('hex') }
    }),
  )
}

async function readApplied(
  client: pg.Client,
  schema: string,
): Promise<{ name: string; checksum: string }[]> {
  await client.query(`create schema if not exists ${schema}`)
  await client.query(
    `create table if not exists ${schema}.migration (
       name text primary key, checksum text not null, applied_at timestamptz not null default now())`,
  )
  const { rows } = await client.query(
    `select name, checksum from ${schema}.migration order by name`,
  )
  return rows
}

function checkUnchanged(
  applied: { name: string; checksum: string }[],
  migrations: Migration[],
): void {
  for (const [position, { name, checksum }] of applied.entries()) {
    const found = migrations[position]
    if (found?.name !== name)
      throw new MigrationMismatchError(
        `the database has migration ${name} where this version has ${found?.name ?? 'none'}: another version of the program has used it`,
      )
    if (found.checksum !== checksum)
      throw new MigrationMismatchError(
        `migration ${name} was changed after it had been applied; write a new one instead`,
      )
  }
}

async function apply(client: pg.Client, migration: Migration, schema: string): Promise<void> {
  await client.query(migration.sql)
  await client.query(`insert into ${schema}.migration (name, checksum) values ($1, $2)`, [
    migration.name,
    migration.checksum,
  ])
}
