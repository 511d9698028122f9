import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type pg from 'pg'
import { OperatorError } from '../../config/operatorError.ts'
import { ADVISORY_LOCKS } from './advisoryLocks.ts'
import { isLockedByOthers } from './isLockedByOthers.ts'
import { openSingleConnection } from './openSingleConnection.ts'

const MIGRATIONS = fileURLToPath(new URL('../migrations/', import.meta.url))

type Migration = { name: string; sql: string; checksum: string }

/** The database can't be migrated as it is. */
export class MigrationError extends OperatorError {
  override readonly name: string = 'MigrationError'
}

/** An applied migration differs from the one on disk, or is missing there. */
export class MigrationMismatchError extends MigrationError {
  override readonly name = 'MigrationMismatchError'
}

/** Other sessions keep using tables that a migration changes. */
export class MigrationBlockedError extends MigrationError {
  override readonly name = 'MigrationBlockedError'
}

/**
 * Longest wait for a table, such as one that a backup reads, and the time for which others get it back, in milliseconds:
 * whoever uses the table next waits behind a waiting migration. Less than the second after which PostgreSQL ends whoever
 * waits in a deadlock, which could be the backup.
 */
const LOCK_MS = 300
const PAUSE_MS = 1_000
const ATTEMPTS = 10

/**
 * Applies pending migrations in the order of their names, in one transaction. Concurrent processes take turns. Forward only:
 * an applied migration is never edited. New ones only add, because roles of the version before go on for a while.
 *
 * @param databaseUrl PostgreSQL 15 or newer
 * @param directory of the numbered `.sql` files; default `services/store/migrations`
 * @param schema whose table `migration` records what was applied
 * @returns names of the migrations applied now
 * @throws MigrationMismatchError if an applied migration was changed or is missing; MigrationBlockedError; MigrationError if
 *   the database can't store every text
 */
export async function migrate(
  databaseUrl: string,
  directory = MIGRATIONS,
  schema = 'app',
): Promise<string[]> {
  const migrations = await readMigrations(directory)
  const client = await openSingleConnection(databaseUrl, 'cairn_migrate')
  try {
    await requireUnicode(client)
    for (let attempt = 1; ; attempt++) {
      try {
        return await applyPending(client, migrations, schema)
      } catch (error) {
        if (!isLockedByOthers(error)) throw error
        await client.query('rollback')
        if (attempt === ATTEMPTS) throw await describeBlock(client, schema)
        await pause(PAUSE_MS)
      }
    }
  } finally {
    // Ending the connection rolls back what was not committed.
    await client.end()
  }
}

/** SQL_ASCII stores any bytes. In other encodings, a node's message or a token's name could fail every later write. */
async function requireUnicode(client: pg.Client): Promise<void> {
  const { rows } = await client.query(`select current_setting('server_encoding') as encoding`)
  const [{ encoding }] = rows
  if (encoding === 'UTF8' || encoding === 'SQL_ASCII') return
  throw new MigrationError(
    `the database's encoding, ${encoding}, can't store every text. Create another: create database … template template0 encoding 'UTF8' locale 'C'`,
  )
}

async function applyPending(
  client: pg.Client,
  migrations: Migration[],
  schema: string,
): Promise<string[]> {
  await client.query('begin')
  await client.query('select pg_advisory_xact_lock($1)', [ADVISORY_LOCKS.migration])
  const applied = await readApplied(client, schema)
  checkUnchanged(applied, migrations)
  const pending = migrations.slice(applied.length)
  await client.query(`set local lock_timeout = ${LOCK_MS}`)
  for (const migration of pending) await apply(client, migration, schema)
  await client.query('commit')
  return pending.map(({ name }) => name)
}

/** Names the sessions that use the schema's tables, those with the oldest transactions first. */
async function describeBlock(client: pg.Client, schema: string): Promise<MigrationBlockedError> {
  const { rows } = await client.query(
    `select pid, application_name as name from pg_stat_activity
     where pid <> pg_backend_pid() and pid in (
       select l.pid from pg_locks l join pg_class c on c.oid = l.relation
       where l.granted and l.database = (select oid from pg_database where datname = current_database())
         and c.relnamespace = $1::regnamespace)
     order by xact_start limit 3`,
    [schema],
  )
  const sessions = rows.map(({ pid, name }) => `${name || 'a session'} (process ${pid})`)
  return new MigrationBlockedError(
    `its tables can't be migrated while others use them: ${sessions.join(', ') || 'other sessions'}. Wait for them, or end them, and start again`,
  )
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
    if (found === undefined)
      throw new MigrationMismatchError(
        `a newer version has migrated the database (${name}): start that version. To return to this one, restore a backup from before the upgrade`,
      )
    if (found.name !== name)
      throw new MigrationMismatchError(
        `the database has migration ${name} where this version has ${found.name}: another version of the program has used it`,
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
