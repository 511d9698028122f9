import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { sql } from 'kysely'
import pg from 'pg'
import { expect, test } from 'vitest'
import { RpcError } from '../../../services/chain/rpcPool/rpcError.ts'
import {
  describeDatabaseProblem,
  findDatabaseProblem,
} from '../../../services/store/database/databaseProblem.ts'
import { nameDatabaseFailure } from '../../../services/store/database/nameDatabaseFailure.ts'
import { openDatabase } from '../../../services/store/database/openDatabase.ts'

const failed = (code: string, message = 'no') => Object.assign(new Error(message), { code })

test('a server without disk, memory or a right to write is a problem of the operator, and no bug', () => {
  for (const code of ['25006', '25P03', '53100', '53200', '53300', '57P01', '58030', '08006'])
    expect(findDatabaseProblem(failed(code))).toBe('unreachable')
  for (const code of ['40001', '55P03', '57014', '25P04'])
    expect(findDatabaseProblem(failed(code))).toBe('timeout')
  for (const code of ['23505', '22P02', 'ERR_INVALID_URL'])
    expect(findDatabaseProblem(failed(code))).toBeNull()
})

test.each([
  ['42P01', 'INTERNAL_ERROR'], // no such table
  ['23505', 'INTERNAL_ERROR'],
  ['57P01', 'DATABASE_UNREACHABLE'],
])('a database that answers with %s is called %s', (code, name) => {
  const error = Object.assign(new pg.DatabaseError('no', 2, 'error'), { code })
  expect(nameDatabaseFailure(error)).toBe(name)
})

test('a query of a request that is under way while a role stops is no bug', async () => {
  const { db, pool, close } = openDatabase({ databaseUrl: 'postgres://127.0.0.1:1/cairn' })
  const ask = () => sql`select 1`.execute(db)
  await ask().catch(() => {})
  await close()
  for (const query of [ask, () => pool.query('select 1')])
    expect(findDatabaseProblem(await query().catch((error: unknown) => error))).toBe('unreachable')
})

test('a server that doesn’t answer is told from a pool whose connections are all in use', async () => {
  const silent = createServer().listen(0, '127.0.0.1')
  await once(silent, 'listening')
  const databaseUrl = `postgres://127.0.0.1:${(silent.address() as AddressInfo).port}/cairn`
  const { db, close } = openDatabase({ databaseUrl, connections: 1, connectTimeoutMs: 20 })
  const ask = () =>
    sql`select 1`.execute(db).then(
      () => null,
      (error: unknown) => [
        findDatabaseProblem(error),
        describeDatabaseProblem(error, 'DATABASE_URL', 'postgres://db/c'),
      ],
    )
  expect(await Promise.all([ask(), ask()])).toEqual([
    ['unreachable', "DATABASE_URL: db:5432 doesn't answer"],
    [
      'timeout',
      "DATABASE_URL: all connections to db:5432 are in use: it is slow, or doesn't answer",
    ],
  ])
  await close()
  silent.close()
})

test.each([
  'ERR_TLS_CERT_ALTNAME_INVALID',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'CERT_HAS_EXPIRED',
])('a certificate that isn’t accepted (%s) is the operator’s problem', (code) => {
  const error = failed(code, 'no such CA')
  expect(findDatabaseProblem(error)).toBe('unreachable')
  expect(describeDatabaseProblem(error, 'DATABASE_URL', 'postgres://u@db/c')).toMatch(
    /^DATABASE_URL: the certificate of db:5432 isn't accepted \(no such CA\)\. .*sslrootcert=/,
  )
})

test('a user whom pg_hba.conf refuses learns why', () => {
  const error = failed('28000', 'no pg_hba.conf entry for host "::1", no encryption')
  expect(describeDatabaseProblem(error, 'DATABASE_URL', 'postgres://u@db/c')).toContain(
    'refuses user "u" (no pg_hba.conf entry for host "::1", no encryption)',
  )
})

test('a server that ends transactions early is named, with what to set', () => {
  const error = failed('25P04', 'terminating connection due to transaction timeout')
  expect(describeDatabaseProblem(error, 'DATABASE_URL', 'postgres://u@db/cairn')).toBe(
    'DATABASE_URL: PostgreSQL at db:5432 ended a transaction early: alter role "u" in database "cairn" set transaction_timeout = 0',
  )
})

test('a node whose host reports a timeout isn’t taken for the database', () => {
  const words =
    'HTTP 503: upstream connect error or disconnect/reset before headers. reset reason: connection timeout'
  const error = new RpcError('unreachable', words)
  expect(describeDatabaseProblem(error, 'DATABASE_URL', 'postgres://db/c')).toBe(null)
})

test('a connection that broke is the database’s', () => {
  const error = failed('ECONNRESET', 'read ECONNRESET')
  expect(describeDatabaseProblem(error, 'DATABASE_URL', 'postgres://u:s3cret@db/c')).toBe(
    'DATABASE_URL: the connection to db:5432 broke (read ECONNRESET)',
  )
})

test('a role that can’t write to its database says so in one line', () => {
  const error = failed('25006', 'cannot execute CREATE TABLE in a read-only transaction')
  expect(describeDatabaseProblem(error, 'DATABASE_URL', 'postgres://u:s3cret@db/cairn')).toBe(
    'DATABASE_URL: PostgreSQL at db:5432 accepts no writes (cannot execute CREATE TABLE in a read-only transaction). Name the primary, and allow writes there',
  )
})

test.each([
  ['permission denied for database c', /must be allowed to create schemas: grant create on/],
  ['must be owner of table transaction', /isn't the owner .* reassign owned by/],
  ['keine Berechtigung für Datenbank c', / lacks a right .* grant create on .* reassign owned by/],
  ['droit refusé pour le schéma app', / lacks a right .* grant create on .* reassign owned by/],
])('a missing right is explained in whichever language the server speaks: %s', (message, words) => {
  const problem = describeDatabaseProblem(
    failed('42501', message),
    'DATABASE_URL',
    'postgres://db/c',
  )
  expect(problem).toMatch(words)
  expect(problem).toContain(message)
})

test.each([
  'unsupported startup parameter: options',
  'unsupported startup parameter in options: bytea_output',
  "unsupported options startup parameter: only '-c config=val' and '--config=val' are allowed",
  'Feature not supported: RDS Proxy currently doesn’t support command-line options.',
])('a pooler that says “%s” is named as one', (message) => {
  expect(describeDatabaseProblem(failed('08P01', message), 'DATABASE_URL', 'postgres://db/c')).toBe(
    "DATABASE_URL: db:5432 doesn't take the sessions' settings. Name PostgreSQL itself and no pooler, and move `options` from the URL to PGOPTIONS",
  )
})
