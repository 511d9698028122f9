import type { IncomingMessage, ServerResponse } from 'node:http'
import { expect, test } from 'vitest'
import { BadRequestError, UnavailableError } from '../../../api/http/apiError.ts'
import { createFastPath, type FastPathAnswer } from '../../../api/http/fastPath.ts'
import { currentReader } from '../../../services/store/database/fairShares.ts'

const CLIENT = '203.0.113.1'
const JSON_ANSWER: FastPathAnswer = { status: 200, headers: { etag: '"1"' }, body: '{}' }

type Rig = {
  handle?: () => FastPathAnswer | null | Promise<FastPathAnswer | null>
  isAllowed?: boolean
  headers?: Record<string, string>
  compress?: () => Promise<Buffer<ArrayBuffer>>
}

/** What becomes of a request for a path that the fast path serves. */
async function request({ handle = () => JSON_ANSWER, isAllowed = true, ...more }: Rig = {}) {
  const { headers = {}, compress = async () => Buffer.from('packed') } = more
  const seen = { failures: [] as string[], metered: [] as unknown[], charged: 0 }
  let readAs: string | null = null
  const serve = createFastPath({
    endpoints: [
      {
        route: '/fast',
        handlerFor: () => () => {
          readAs = currentReader()
          return handle()
        },
      },
    ],
    gate: {
      take: () => {
        seen.charged += 1
        return { allowed: isAllowed, retrySeconds: 7, policy: 'policy', limit: 'limit' }
      },
    },
    isTrustedProxy: () => false,
    meter: ({ status, code }) => seen.metered.push([status, code]),
    compressor: { compress },
    onFailure: ({ error }) => seen.failures.push(error.code),
  })
  const incoming = {
    method: 'GET',
    url: '/fast',
    headers: { host: 'api.test', ...headers },
    socket: { remoteAddress: CLIENT },
  }
  const outcome = await new Promise<{ status: number; headers: string[]; body: string } | 'app'>(
    (resolve) => {
      let head: { status: number; headers: string[] }
      const response = {
        writeHead: (status: number, lines: string[]) => {
          head = { status, headers: lines }
        },
        end: (body: Buffer | string, encoding?: BufferEncoding) => {
          const bytes = typeof body === 'string' ? Buffer.from(body, encoding) : body
          resolve({ ...head, body: bytes.toString() })
        },
      }
      const passToApp = () => resolve('app')
      serve(
        incoming as unknown as IncomingMessage,
        response as unknown as ServerResponse,
        passToApp,
      )
    },
  )
  const valuesOf = (name: string) =>
    outcome === 'app'
      ? []
      : outcome.headers.filter((_, at) => at % 2 === 1 && outcome.headers[at - 1] === name)
  return { outcome, valuesOf, readAs, ...seen }
}

test('a fast answer is charged once, read in its client’s share and measured', async () => {
  const { outcome, valuesOf, readAs, charged, metered } = await request()
  expect(outcome).toMatchObject({ status: 200, body: '{}' })
  expect([valuesOf('ratelimit'), valuesOf('content-length')]).toEqual([['limit'], ['2']])
  expect([readAs, charged, metered]).toEqual([CLIENT, 1, [[200, undefined]]])
})

test.each<[string, Rig]>([
  ['what its handler leaves to the app', { handle: () => null }],
  ['what its handler leaves to the app later', { handle: async () => null }],
  ['a body without a length', { headers: { 'transfer-encoding': 'chunked' } }],
  ['a body of a GET', { headers: { 'content-length': '3' } }],
  ['another protocol', { headers: { upgrade: 'websocket' } }],
  ['a strange host', { headers: { host: 'a b' } }],
])('the app gets %s', async (_, rig) => {
  expect((await request(rig)).outcome).toBe('app')
})

test('a refusal describes the limit once, and reads nothing', async () => {
  const { outcome, valuesOf, readAs, metered } = await request({ isAllowed: false })
  expect(outcome).toMatchObject({ status: 429 })
  expect([valuesOf('ratelimit'), valuesOf('retry-after')]).toEqual([['limit'], ['7']])
  expect([readAs, metered]).toEqual([null, [[429, 'RATE_LIMITED']]])
})

test.each([true, false])('only the server’s failures are reported (later: %s)', async (isLater) => {
  const failing = (error: Error) =>
    request({
      handle: () => {
        if (isLater) return Promise.reject(error)
        throw error
      },
    })
  const gone = await failing(new UnavailableError('gone', 'DATABASE_UNREACHABLE', 2))
  expect(gone).toMatchObject({ outcome: { status: 503 }, failures: ['DATABASE_UNREACHABLE'] })
  expect(await failing(new Error('a bug'))).toMatchObject({ failures: ['INTERNAL_ERROR'] })
  expect(await failing(new BadRequestError('wrong'))).toMatchObject({
    outcome: { status: 400 },
    failures: [],
  })
})

test('a long answer is compressed, and sent as it is if that fails', async () => {
  const body = 'é'.repeat(1_024)
  const rig = {
    handle: () => ({ ...JSON_ANSWER, body }),
    headers: { 'accept-encoding': 'br' },
  }
  const packed = await request(rig)
  expect(packed.outcome).toMatchObject({ body: 'packed' })
  expect([packed.valuesOf('content-encoding'), packed.valuesOf('etag')]).toEqual([
    ['br'],
    ['W/"1"'],
  ])
  const compress = () => Promise.reject(new Error('no memory'))
  const plain = await request({ ...rig, compress })
  expect(plain.outcome).toMatchObject({ status: 200, body })
  expect([plain.valuesOf('content-encoding'), plain.valuesOf('content-length')]).toEqual([
    [],
    [String(2 * 1_024)],
  ])
})
