import { existsSync, readFileSync } from 'node:fs'
import type { Socket } from 'node:net'
import { sql } from 'kysely'
import pg from 'pg'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { takeChainLock } from '../../../services/indexer/chainLock.ts'
import { holdAccountLock } from '../../../services/solver/journal/holdAccountLock.ts'
import { ADVISORY_LOCKS } from '../../../services/store/database/advisoryLocks.ts'
import { inPooledTransaction } from '../../../services/store/database/inTransaction.ts'
import { migrate } from '../../../services/store/database/migrate.ts'
import { openDatabase } from '../../../services/store/database/openDatabase.ts'
import { openPool } from '../../../services/store/database/openPool.ts'
import { openSingleConnection } from '../../../services/store/database/openSingleConnection.ts'
import { type PostgresUnderTest, startPostgresUnderTest } from '../../postgresUnderTest.ts'
import { until } from '../../rig/until.ts'
import { startWire } from '../../rig/wire.ts'

// An 'error' event that nobody listens to is an uncaught exception, which fails the run by itself.

let postgres: PostgresUnderTest

beforeAll(async () => {
  postgres = await startPostgresUnderTest()
})
beforeEach(() => postgres.restart())
afterAll(() => postgres?.stop())

test('a transaction fails if the database dies between two statements, and the pool recovers', async () => {
  const pool = new pg.Pool({ connectionString: postgres.databaseUrl, max: 1 })
  pool.on('error', () => {})
  const work = inPooledTransaction(pool, async (client) => {
    await client.query('select 1')
    await postgres.crash()
    await client.query('select 1')
  })
  await expect(work).rejects.toThrow()
  await postgres.restart()
  const { rows } = await inPooledTransaction(pool, (client) => client.query('select 1 as one'))
  expect(rows).toEqual([{ one: 1 }])
  await pool.end()
})

test('what a server says of dates, bytes, floats, strings and isolation changes nothing that we read', async () => {
  const client = await postgres.connect()
  const odd = {
    datestyle: 'SQL, DMY',
    timezone: 'Asia/Kathmandu',
    bytea_output: 'escape',
    extra_float_digits: '-10',
    standard_conforming_strings: 'off',
    default_transaction_isolation: 'serializable',
    statement_timeout: '1s',
    transaction_timeout: '1s',
  }
  for (const [name, value] of Object.entries(odd))
    await client.query(`alter role current_user set ${name} = '${value}'`)
  const read = `select '\\x01ff'::bytea as bytes, '2026-02-01T12:00:00Z'::timestamptz as date,
    '2026-02-01T20:00:00Z'::timestamptz::date::text as day, 1.0::float8 / 3 as third,
    current_setting('transaction_isolation') as isolation`
  const { db, close } = openDatabase({ databaseUrl: postgres.databaseUrl, connections: 1 })
  const single = await openSingleConnection(postgres.databaseUrl, 'cairn_test')
  // As Ponder and graphile-worker connect.
  const other = await postgres.connect()
  const expected = {
    date: new Date('2026-02-01T12:00:00Z'),
    // Already tomorrow in Kathmandu.
    day: '2026-02-01',
    third: 1 / 3,
    isolation: 'read committed',
  }
  expect((await sql.raw(read).execute(db)).rows).toEqual([{ bytes: '0x01ff', ...expected }])
  expect((await single.query(read)).rows).toEqual([{ bytes: '0x01ff', ...expected }])
  expect((await other.query(read)).rows[0]).toMatchObject({ bytes: Buffer.of(1, 255), ...expected })
  for (const one of [single, other])
    expect((await one.query('show statement_timeout')).rows).toEqual([{ statement_timeout: '0' }])
  const { rows: pooled } = await sql.raw('show transaction_timeout').execute(db)
  const { rows: alone } = await single.query('show transaction_timeout')
  for (const rows of [pooled, alone]) expect(rows).toEqual([{ transaction_timeout: '0' }])
  for (const name of Object.keys(odd)) await client.query(`alter role current_user reset ${name}`)
  await Promise.all([close(), single.end()])
})

test('a running query fails when the database dies, and the next one succeeds', async () => {
  const { db, close } = openDatabase({ databaseUrl: postgres.databaseUrl, connections: 1 })
  await sql`select 1`.execute(db)
  const slow = sql`select pg_sleep(60)`.execute(db)
  const failed = expect(slow).rejects.toThrow()
  await postgres.crash()
  await failed
  await postgres.restart()
  const { rows } = await sql<{ one: number }>`select 1 as one`.execute(db)
  expect(rows).toEqual([{ one: 1 }])
  await close()
})

test('migrations fail if the database dies, and can be restarted', async () => {
  const other = await postgres.connect()
  // Somebody else has their turn, so that they are under way when the database dies.
  await other.query('select pg_advisory_lock($1)', [ADVISORY_LOCKS.migration])
  const failed = expect(migrate(postgres.databaseUrl)).rejects.toThrow()
  await until(async () => {
    const waiting = `select 1 from pg_stat_activity
      where application_name = 'cairn_migrate' and wait_event = 'advisory'`
    return (await other.query(waiting)).rowCount === 1
  }, 'migrations that wait')
  await postgres.crash()
  await failed
  await postgres.restart()
  expect(await migrate(postgres.databaseUrl)).toContain('0001_app.sql')
})

test('a holder of a lock that is cut off loses it and knows it, and another takes it', async () => {
  const wire = await startWire(postgres.port)
  const url = new URL(postgres.databaseUrl)
  url.port = String(wire.port)
  const cutOff = holdAccountLock(url.href, '0xa1', { silenceMs: 1_000 })
  await until(async () => cutOff.isHeld(), 'it has the lock')
  const waits: boolean[] = []
  const onWaiting = (isWaiting: boolean) => void waits.push(isWaiting)
  const other = holdAccountLock(postgres.databaseUrl, '0xa1', { onWaiting })
  // Silent for longer than the limit, but alive.
  await new Promise((resolve) => setTimeout(resolve, 2_500))
  expect([cutOff.isHeld(), other.isHeld(), waits]).toEqual([true, false, [true]])
  wire.cut()
  await until(async () => other.isHeld() && !cutOff.isHeld(), 'the other has it')
  expect(waits).toEqual([true, false])
  await Promise.all([other.stop(), cutOff.stop(), wire.close()])
})

test('a query of a pool whose server falls silent fails, and the pool connects anew', async () => {
  const wire = await startWire(postgres.port)
  const url = new URL(postgres.databaseUrl)
  url.port = String(wire.port)
  const { db, close } = openDatabase({
    databaseUrl: url.href,
    connections: 1,
    statementTimeoutMs: 500,
  })
  await sql`select 1`.execute(db)
  wire.cut()
  await expect(sql`select 1`.execute(db)).rejects.toThrow('Connection terminated')
  wire.mend()
  expect((await sql`select 1 as one`.execute(db)).rows).toEqual([{ one: 1 }])
  await Promise.all([close(), wire.close()])
})

test('a query that is slow isn’t taken for silence: the URL’s own time limit counts', async () => {
  const url = new URL(postgres.databaseUrl)
  url.searchParams.set('statement_timeout', '20000')
  const { db, close } = openDatabase({
    databaseUrl: url.href,
    connections: 1,
    statementTimeoutMs: 500,
  })
  await sql`select pg_sleep(11)`.execute(db)
  await close()
})

test.runIf(existsSync('/proc/net/tcp'))(
  'a pool’s connection that waits for an answer is probed, so that a vanished host is noticed',
  async () => {
    const pool = openPool({ connectionString: postgres.databaseUrl, max: 1 })
    const client = (await pool.connect()) as pg.PoolClient & pg.Client
    const { localPort } = client.connection.stream as Socket
    const own = `:${localPort!.toString(16).toUpperCase().padStart(4, '0')} `
    const slow = client.query('select pg_sleep(2)')
    // A line names its timer after the size of the queues: 2 is keep-alive, 0 none.
    const timer = () => {
      const lines = readFileSync('/proc/net/tcp', 'utf8').split('\n')
      return lines
        .map((line) => line.trim().split(/\s+/))
        .find(([, at]) => `${at} `.endsWith(own))?.[5]
    }
    await expect.poll(timer).toMatch(/^02:/)
    await slow
    client.release()
    await pool.end()
  },
)

test('a schema’s lock that can’t be taken leaves no connection open', async () => {
  // PostgreSQL has no text with a zero byte.
  await expect(takeChainLock(postgres.databaseUrl, 'cairn\0')).rejects.toThrow(/0x00/)
  const client = await postgres.connect()
  await until(async () => {
    const open = `select from pg_stat_activity where application_name = 'cairn_supervisor'`
    return (await client.query(open)).rowCount === 0
  }, 'its end')
})
