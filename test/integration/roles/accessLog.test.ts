import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createAccessLog } from '../../../api/http/accessLog.ts'
import { ApiError, UnavailableError } from '../../../api/http/apiError.ts'
import { createFailureLog } from '../../../api/http/failureLog.ts'
import { createLog } from '../../../services/log/createLog.ts'
import { seedDatabase } from '../../../tools/seed/seedDatabase.ts'
import { type PostgresUnderTest, startPostgresUnderTest } from '../../postgresUnderTest.ts'
import { CHAINS } from '../rest/seededApi.ts'
import { type RunningRole, startRole } from './startRole.ts'

const directory = mkdtempSync(join(tmpdir(), 'cairn-access-'))
let postgres: PostgresUnderTest
let api: RunningRole
let url: string

beforeAll(async () => {
  postgres = await startPostgresUnderTest()
  const { databaseUrl } = postgres
  await seedDatabase({ databaseUrl, intents: 20, seed: 5, until: 1_790_000_000 })
  writeFileSync(join(directory, 'chains.json'), JSON.stringify({ chains: CHAINS }))
  api = startRole('api', {
    DATABASE_URL: databaseUrl,
    CHAINS: join(directory, 'chains.json'),
    API_PORT: '0',
    LOG_LEVEL: 'debug',
  })
  url = String((await lineWith(({ msg }) => msg === 'listening')).url)
})

afterAll(async () => {
  api?.child.kill('SIGTERM')
  await api?.ended
  await postgres?.stop()
  rmSync(directory, { recursive: true, force: true })
})

type Line = Record<string, unknown>

async function lineWith(condition: (line: Line) => boolean): Promise<Line> {
  for (;;) {
    const lines = api.said().split('\n').slice(0, -1)
    const found = lines.map((line) => JSON.parse(line) as Line).find(condition)
    if (found) return found
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

const SECRET = 'ab'.repeat(32)

test.each([
  [`/intents?limit=none`, {}, 'GET', 400, 'INVALID_REQUEST'],
  [`/intent-details/1`, {}, 'GET', 404, 'INTENT_NOT_FOUND'],
  [`/nowhere/${SECRET}`, {}, 'GET', 404, 'NOT_FOUND'],
  [`/intents?${SECRET}=1`, {}, 'GET', 400, 'INVALID_REQUEST'],
  ['/verify', { method: 'POST', body: '{' }, 'POST', 400, 'INVALID_JSON'],
])('%s is in the log by its id', async (path, init, method, status, code) => {
  const headers = { 'content-type': 'application/json' }
  const answer = await fetch(url + path, { ...init, headers })
  expect(answer.status).toBe(status)
  const { requestId } = (await answer.json()) as { requestId: string }
  expect(await lineWith((line) => line.requestId === requestId)).toMatchObject({
    level: 'info',
    role: 'api',
    msg: 'refused',
    method,
    status,
    code,
    ms: expect.any(Number),
  })
  expect(api.said()).not.toContain(SECRET)
})

test('requests that no handler sees are logged, and successful ones if enabled', async () => {
  const { port, hostname } = new URL(url)
  const socket = connect(Number(port), hostname)
  socket.end('GET / HTTP/9\r\n\r\n')
  const [, requestId] = /"requestId":"([^"]+)"/.exec(await text(socket)) ?? []
  expect(await lineWith((line) => line.requestId === requestId)).toMatchObject({ status: 400 })
  await fetch(`${url}/intents?limit=1`, { headers: { 'x-request-id': 'mine-1' } })
  expect(await lineWith((line) => line.requestId === 'mine-1')).toMatchObject({
    level: 'debug',
    msg: 'answered',
    route: '/intents',
    status: 200,
  })
})

test('a flood of failures leaves a hundred lines a second too, and doesn’t hide a bug', () => {
  const lines: Line[] = []
  const bugs: Line[] = []
  const log = createLog('api', { level: 'silent' })
  log.warn = ((line: Line) => lines.push(line)) as never
  log.error = ((line: Line) => bugs.push(line)) as never
  let now = 5_000
  const write = createFailureLog(log, () => now)
  const error = new UnavailableError('the database cannot be reached', 'DATABASE_UNREACHABLE', 2)
  const failure = { requestId: 'r', route: '/', method: 'GET', error }
  for (let at = 0; at < 1_000; at++) write(failure)
  expect(lines).toHaveLength(100)
  const bug = new ApiError('a bug', { status: 500, code: 'INTERNAL_ERROR' })
  write({ ...failure, requestId: 'bug', error: bug })
  expect(bugs).toMatchObject([{ requestId: 'bug' }])
  now += 1_000
  write(failure)
  expect(lines.at(-1)).toMatchObject({ requestId: 'r', err: error, omitted: 900 })
})

test('a flood of refusals leaves a hundred lines a second, and says how many it left out', () => {
  const lines: Line[] = []
  const log = createLog('api', { level: 'silent' })
  log.info = ((line: Line) => lines.push(line)) as never
  let now = 5_000
  const write = createAccessLog(log, () => now)
  const refusal = { requestId: 'r', route: '/', method: 'GET', status: 429, milliseconds: 1 }
  for (let at = 0; at < 1_000; at++) write(refusal)
  expect(lines).toHaveLength(100)
  now += 1_000
  write(refusal)
  expect(lines.at(-1)).toMatchObject({ omitted: 900 })
})
