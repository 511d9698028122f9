import {
  closeSync,
  existsSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import type { Enclave } from '../../../services/enclave/enclaveInterface.ts'
import { serveEnclave } from '../../../services/enclave/socket/serveEnclave.ts'
import { findFreePort } from '../../../services/process/findFreePort.ts'
import { spawnRole } from '../../../services/process/spawnRole.ts'
import { migrate } from '../../../services/store/database/migrate.ts'
import { type PostgresUnderTest, startPostgresUnderTest } from '../../postgresUnderTest.ts'
import { findDeadPort } from '../../rig/findDeadPort.ts'
import { startPooler } from '../../rig/startPooler.ts'
import { until } from '../../rig/until.ts'
import { runProgram } from '../../runProgram.ts'
import { type RunningRole, startRole } from './startRole.ts'

const MAIN = fileURLToPath(new URL('../../../services/main.ts', import.meta.url))
const directory = mkdtempSync(join(tmpdir(), 'cairn-start-'))
const CHAINS = join(directory, 'chains.json')

let postgres: PostgresUnderTest
let pooler: Awaited<ReturnType<typeof startPooler>>
let taken: Server
let takenPort: string
let deadPort: number

beforeAll(async () => {
  postgres = await startPostgresUnderTest()
  pooler = await startPooler(postgres.port)
  taken = createServer()
  await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve))
  takenPort = String((taken.address() as { port: number }).port)
  deadPort = await findDeadPort()
  const chain = { name: 'base_sepolia', chainId: 84532, startBlock: 1, confirmations: 1 }
  const rpcUrls = [`http://127.0.0.1:${deadPort}`]
  writeFileSync(
    CHAINS,
    JSON.stringify({ chains: [{ ...chain, rpcUrls, bridge: `0x${'b1'.repeat(20)}` }] }),
  )
})

afterAll(async () => {
  taken?.close()
  await pooler?.close()
  await postgres?.stop()
  rmSync(directory, { recursive: true, force: true })
})

function start(role: string, variables: Record<string, string>): RunningRole {
  return startRole(role, { CHAINS, DATABASE_URL: postgres.databaseUrl, ...variables })
}

test('a misspelt variable is named, and what it should be', async () => {
  const { ended, said } = start('push', { PUSH_KEY: 'push.key', API_PORT: 'none' })
  expect(await ended).toBe(2)
  expect(said()).toMatch(/^PUSH_KEY is ignored: did you mean PUSH_KEY_FILE\?\n/)
})

test('a secret’s file that can’t be read is named', async () => {
  const { ended, said } = start('api', { ADMIN_TOKENS_FILE: join(directory, 'no-tokens') })
  expect(await ended).toBe(2)
  expect(said()).toMatch(/^The configuration has 1 problem:\n +- ADMIN_TOKENS_FILE \(.*ENOENT\n$/)
})

test.each([
  ['in a folder that is a file', () => join(CHAINS, 'push.key'), 'ENOTDIR'],
  ['in a folder that isn’t there', () => join(directory, 'not-mounted', 'push.key'), 'ENOENT'],
  ['that is a folder', () => directory, 'EISDIR'],
])('a key file %s is named in one line', async (_, file, code) => {
  const { ended, said } = start('push', { PUSH_KEY_FILE: file() })
  expect(await ended).toBe(1)
  expect(said()).toMatch(
    new RegExp(`^PUSH_KEY_FILE \\(\\S+\\) can't be read or made \\(${code}\\): .*\\n$`),
  )
})

test('a misspelt variable isn’t named again by the transfers, which the reactions start', async () => {
  const logFile = join(directory, 'transfers.log')
  const env = { PATH: process.env.PATH, PUSH_KEY: 'push.key', CHAINS: 'missing.json' }
  await spawnRole({ role: 'transfers', env, logFile }).ended
  const said = () => readFileSync(logFile, 'utf8')
  await until(async () => said().includes('missing.json'))
  expect(said()).not.toContain('is ignored')
})

describe('a port that is taken', () => {
  test('ends the API with 1 and one line that names it', async () => {
    const { ended, said } = start('api', { API_PORT: takenPort })
    expect(await ended).toBe(1)
    expect(said()).toMatch(new RegExp(`^API_PORT: port ${takenPort} of 127.0.0.1 is taken .*\\n$`))
  })

  test('ends npm start before it starts anything', async () => {
    const state = join(directory, 'devnet')
    const args = ['devnet', '--api-port', takenPort, '--directory', state]
    const run = await runProgram(MAIN, args)
    expect(run).toMatchObject({ code: 1, stdout: '' })
    expect(run.stderr).toMatch(new RegExp(`^--api-port: port ${takenPort} of 127.0.0.1 is taken`))
    expect(existsSync(state)).toBe(false)
  })
})

test.runIf(existsSync('/dev/full'))(
  'a full disk under its log neither ends a role nor keeps it from ending',
  async () => {
    const port = await findFreePort()
    const full = openSync('/dev/full', 'w')
    // An address on which nobody else listens, since the log can't say which port it took.
    const API_HOST = '127.0.0.77'
    const where = { API_HOST, API_PORT: String(port) }
    const variables = { CHAINS, DATABASE_URL: postgres.databaseUrl, ...where }
    const api = startRole('api', variables, full)
    closeSync(full)
    const statusNow = () =>
      fetch(`http://${API_HOST}:${port}/ready`).then(
        ({ status }) => status,
        () => 0,
      )
    await expect.poll(statusNow, { interval: 200 }).toBe(503)
    // More lines that can't be written.
    await new Promise((resolve) => setTimeout(resolve, 500))
    expect(await statusNow()).toBe(503)
    api.child.kill('SIGTERM')
    const ended = Promise.race([
      api.ended,
      new Promise((resolve) => setTimeout(resolve, 15_000, 'hangs')),
    ])
    expect(await ended).toBe(0)
  },
)

test('an address that no program can listen on ends npm start before it starts anything', async () => {
  const state = join(directory, 'devnet')
  // Link-local without its interface: an error that we have no words of our own for.
  const run = await runProgram(MAIN, ['devnet', '--api-host', 'fe80::1', '--directory', state])
  expect(run).toMatchObject({ code: 1, stdout: '' })
  expect(run.stderr).toMatch(/^--api-port: Error: listen EINVAL: invalid argument fe80::1/)
  expect(existsSync(state)).toBe(false)
})

/** The same database with another part of its URL. */
function urlWith(change: (url: URL) => void): string {
  const url = new URL(postgres.databaseUrl)
  change(url)
  return url.href
}

const PROBLEMS: [string, () => string, RegExp][] = [
  [
    'isn’t there',
    () => `postgres://someone:s3cret@127.0.0.1:${deadPort}/cairn`,
    /^DATABASE_URL: nothing listens at 127\.0\.0\.1:\d+\./,
  ],
  [
    'has another name',
    () => urlWith((url) => Object.assign(url, { pathname: '/elsewhere' })),
    /^DATABASE_URL: there is no database "elsewhere" at 127\.0\.0\.1:\d+\./,
  ],
  [
    'refuses the password',
    () => urlWith((url) => Object.assign(url, { password: 's3cret' })),
    /^DATABASE_URL: PostgreSQL at \S+ refuses user "cairn" \(.+\)\. Check/,
  ],
  [
    'lets the user make no schema',
    () => urlWith((url) => Object.assign(url, { username: 'reader', password: 's3cret' })),
    /^DATABASE_URL: user "reader" lacks a right in database "cairn"/,
  ],
  [
    'is behind a pooler that drops the sessions’ settings',
    () => urlWith((url) => Object.assign(url, { port: String(pooler.port) })),
    /^DATABASE_URL: 127\.0\.0\.1:\d+ doesn't take the sessions' settings\. Name PostgreSQL itself/,
  ],
]

describe('a database problem:', () => {
  beforeAll(async () => {
    const client = await postgres.connect()
    await client.query(`create role reader login password 's3cret'`)
  })

  describe.each(PROBLEMS)('%s', (_, databaseUrl, words) => {
    test.each(['indexer', 'reactions'])('ends the role %s with one line', async (role) => {
      const variables = { ENCLAVE_ROOT_FILE: join(directory, 'root'), LOG_LEVEL: 'silent' }
      const { ended, said } = start(role, { ...variables, DATABASE_URL: databaseUrl() })
      expect(await ended).toBe(1)
      expect(said()).toMatch(words)
      expect(said().trimEnd().split('\n')).toHaveLength(1)
      expect(said()).not.toContain('s3cret')
    })

    test('makes the API report it once, answer 503 and wait', async () => {
      const url = databaseUrl()
      const api = start('api', { DATABASE_URL: url, API_PORT: '0' })
      const address = await addressOf(api)
      // Long enough for several tries.
      await new Promise((resolve) => setTimeout(resolve, 2_000))
      const answer = await fetch(`${address}/intents`)
      expect(answer.status).toBe(503)
      api.child.kill('SIGTERM')
      expect(await api.ended).toBe(0)
      const lines = linesOf(api).filter(({ msg }) => /DATABASE_URL|waiting/.test(msg))
      expect(lines).toHaveLength(1)
      expect(api.said()).not.toContain('s3cret')
      expect(lines.map(({ err }) => err)).toEqual([undefined])
    })
  })
})

describe('a root file', () => {
  test('that is unreadable ends the enclave with one line', async () => {
    const rootFile = join(directory, 'broken-root')
    writeFileSync(rootFile, 'nonsense\n', { mode: 0o600 })
    const variables = { ENCLAVE_ROOT_FILE: rootFile, ENCLAVE_SOCKET: join(directory, 'socket') }
    const { ended, said } = start('enclave', variables)
    expect(await ended).toBe(1)
    expect(said()).toMatch(/^line 1 of the root file .*\n$/)
  })

  test('of another enclave than the database’s ends the role reactions with one line', async () => {
    const databaseUrl = await postgres.createDatabase('bound')
    await migrate(databaseUrl)
    const client = await postgres.connect(databaseUrl)
    const another = [Buffer.alloc(4, 1), Buffer.alloc(65, 4)]
    await client.query(
      'insert into app.enclave_binding (key_id, public_key) values ($1, $2)',
      another,
    )
    const { ended, said } = start('reactions', {
      DATABASE_URL: databaseUrl,
      ENCLAVE_ROOT_FILE: join(directory, 'another-root'),
      LOG_LEVEL: 'silent',
    })
    expect(await ended).toBe(1)
    expect(said()).toMatch(/^this database belongs to the enclave key 0x01010101, .*\n$/)
  })
})

test('an enclave of another version ends the role reactions with one line', async () => {
  const folder = mkdtempSync(join(directory, 'other-version-'))
  const publicKeys = async () => ({ formerly: 'other keys' })
  const enclave = { publicKeys } as unknown as Enclave
  const { path, stop } = await serveEnclave(enclave, join(folder, 'socket'), [])
  onTestFinished(stop)
  const { ended, said } = start('reactions', { ENCLAVE_SOCKET: path, LOG_LEVEL: 'silent' })
  expect(await ended).toBe(1)
  expect(said()).toMatch(/^ENCLAVE_SOCKET: the enclave and this role don't understand .*\n$/)
})

test('an API started before the indexer, its database in a file, logs only that it is waiting', async () => {
  const databaseUrl = await postgres.createDatabase('empty')
  const file = join(directory, 'database-url')
  writeFileSync(file, `${databaseUrl}\n`)
  const api = start('api', { DATABASE_URL: '', DATABASE_URL_FILE: file, API_PORT: '0' })
  const address = await addressOf(api)
  await new Promise((resolve) => setTimeout(resolve, 1_000))
  expect((await fetch(`${address}/ready`)).status).toBe(503)
  await migrate(databaseUrl)
  // The feed hears of it by itself.
  await expect.poll(async () => hasFeed(databaseUrl), { interval: 200 }).toBe(true)
  // As a closing terminal does.
  api.child.kill('SIGHUP')
  expect(await api.ended).toBe(0)
  expect(linesOf(api).map(({ level, msg }) => `${level} ${msg}`)).toEqual([
    'info listening',
    'info waiting for the indexer: the database has no index yet',
    'info stopping',
    'info stopped',
  ])
  expect(linesOf(api).at(-1)).toMatchObject({ role: 'api', why: 'SIGHUP' })
})

/** Whether an API listens to the database and has left its first tries behind. */
async function hasFeed(databaseUrl: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  const { rows } = await client.query(
    `select 1 from pg_stat_activity where application_name = 'cairn_feed'
     and datname = current_database() and query = 'select 1'`,
  )
  await client.end()
  return rows.length > 0
}

type Line = { level: string; msg: string; url?: string; err?: unknown }

function linesOf({ said }: RunningRole): Line[] {
  return said()
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line))
}

async function addressOf(role: RunningRole): Promise<string> {
  for (;;) {
    const url = linesOf(role).find(({ msg }) => msg === 'listening')?.url
    if (url) return url
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

test('an unknown host ends npm start with words that name it', async () => {
  const state = join(directory, 'devnet')
  const host = 'nowhere.invalid'
  const run = await runProgram(MAIN, ['devnet', '--api-host', host, '--directory', state])
  expect(run).toMatchObject({ code: 1, stdout: '' })
  expect(run.stderr).toMatch(/^--api-port: the host nowhere\.invalid is unknown\. Name an address/)
  expect(existsSync(state)).toBe(false)
})

test('a parent says by name which of its children has a problem', async () => {
  const notices: string[] = []
  const indexer = spawnRole({
    role: 'indexer',
    name: 'indexer-2',
    env: { PATH: process.env.PATH, CHAINS, DATABASE_URL: postgres.databaseUrl },
    logFile: join(directory, 'named.log'),
    onNotice: (text) => notices.push(text),
  })
  onTestFinished(() => indexer.stop())
  await until(() => notices.length > 0)
  expect(notices[0]).toMatch(/^indexer-2: \w/)
})
