import type { RequestListener } from 'node:http'
import { gzipSync } from 'node:zlib'
import { expect, onTestFinished, test, vi } from 'vitest'
import { createRelayerClient, RelayerError } from '../../../sdk/index.ts'
import { serveLocally } from '../../rig/serveLocally.ts'

/** The error of a request that is answered with status 400 and this body. */
function errorFor(body: string): Promise<unknown> {
  return errorFrom((_, response) => response.writeHead(400).end(body))
}

async function errorFrom(answer: RequestListener, requestTimeoutMs = 500): Promise<unknown> {
  return createRelayerClient({ baseUrl: await serveLocally(answer), requestTimeoutMs })
    .eciesPublicKey()
    .catch((error: unknown) => error)
}

test('the problems of an invalid request are in the error’s details', async () => {
  const problems = [{ path: 'reward', message: 'expected at most 0' }]
  const error = await errorFor(
    JSON.stringify({
      error: 'too high',
      code: 'INVALID_REQUEST',
      requestId: '1',
      details: problems,
    }),
  )
  expect(error).toBeInstanceOf(RelayerError)
  expect(error).toMatchObject({
    code: 'INVALID_REQUEST',
    message: 'too high',
    status: 400,
    requestId: '1',
    details: { problems },
  })
})

test('a temporary refusal says in its details how long to wait', async () => {
  const body = '{"error":"wait","code":"RATE_LIMITED","details":{"limit":5}}'
  const error = await errorFrom((_, response) =>
    response.writeHead(429, { 'retry-after': '7' }).end(body),
  )
  expect(error).toMatchObject({ retryable: true, details: { limit: 5, retryAfterSeconds: 7 } })
})

test.each([
  '',
  'null',
  '[]',
  '"text"',
  '{"error":5,"code":null,"requestId":[],"details":"x"}',
])('any other refusal is a RelayerError too: %j', async (body) => {
  const error = await errorFor(body)
  expect(error).toBeInstanceOf(RelayerError)
  expect(error).toMatchObject({ code: 'UNKNOWN', status: 400, details: {} })
})

test('an answer that breaks off halfway may be requested again', async () => {
  const error = await errorFrom((_, response) => {
    response.writeHead(200, { 'content-length': '100' }).write('{"publicKey":')
    setTimeout(() => response.destroy(), 50)
  })
  expect(error).toMatchObject({ code: 'TACHYON_API_UNREACHABLE', status: 0, retryable: true })
})

test('an answer that stalls halfway times out', async () => {
  const error = await errorFrom((_, response) => {
    response.writeHead(200, { 'content-length': '100' }).write('{"publicKey":')
  })
  expect(error).toMatchObject({ code: 'REQUEST_TIMEOUT', status: 0, retryable: true })
})

test('an endless answer is left once it is longer than any real one, compressed or not', async () => {
  const zeros = gzipSync(Buffer.alloc(8 * 2 ** 20))
  const answers: [string, RequestListener][] = [
    [
      'endless',
      (_, response) => {
        response.writeHead(200)
        const write = () => {
          while (!response.destroyed && response.write(Buffer.alloc(2 ** 16, 32)));
        }
        response.on('drain', write)
        write()
      },
    ],
    [
      'compressed',
      (_, response) => {
        response.writeHead(200, { 'content-encoding': 'gzip' })
        for (let part = 0; part < 40; part++) response.write(zeros)
        response.end()
      },
    ],
  ]
  for (const [name, answer] of answers) {
    const error = await errorFrom(answer, 60_000)
    expect(error, name).toBeInstanceOf(RelayerError)
    expect(error, name).toMatchObject({ code: 'ANSWER_INVALID', status: 200 })
  }
})

test('the answer of a fetch without web streams is read', async () => {
  const answer = new Response('{"success":false,"code":"BUSY","error":"no"}', { status: 503 })
  // As of node-fetch, which some programs put in fetch’s place.
  Object.defineProperty(answer, 'body', { value: { pipe: () => {} } })
  vi.stubGlobal('fetch', async () => answer)
  onTestFinished(() => void vi.unstubAllGlobals())
  const client = createRelayerClient({ baseUrl: 'http://127.0.0.1:9' })
  await expect(client.eciesPublicKey()).rejects.toMatchObject({ code: 'BUSY', status: 503 })
})

test('a request without an answer is retryable; a refused one isn’t', () => {
  const isRetryable = (status: number) =>
    new RelayerError({ code: 'X', message: 'no', status }).retryable
  expect([0, 429, 500, 503].map(isRetryable)).toEqual([true, true, true, true])
  expect([200, 302, 400, 404, 499].some(isRetryable)).toBe(false)
})
