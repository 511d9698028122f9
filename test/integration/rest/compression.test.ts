import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createGraphqlRoutes } from '../../../api/graphql/graphqlRoutes.ts'
import { createCompressor } from '../../../api/http/compression/createCompressor.ts'
import { acceptedEncoding } from '../../../api/http/compression/encodings.ts'
import { concatenateAsUtf8 } from '../../../api/http/concatenateAsUtf8.ts'
import { type RunningApi, startApi } from '../../../api/rest/startApi.ts'
import { requestRaw } from './requestRaw.ts'
import { CHAINS, type SeededApi, startSeededApi } from './seededApi.ts'

/** With the short way for what is asked most, and without. */
let api: SeededApi
let plain: RunningApi

const routes = [createGraphqlRoutes({ onProblem: () => {} })]

beforeAll(async () => {
  api = await startSeededApi({ intents: 250, routes })
  plain = await startApi({
    databaseUrl: api.postgres.databaseUrl,
    chains: CHAINS,
    host: '127.0.0.1',
    port: 0,
    fastPath: false,
    routes,
  })
})

afterAll(async () => {
  await plain?.stop()
  await api?.stop()
})

const get = (url: string, headers: Record<string, string>) =>
  requestRaw(url, { method: 'GET', headers })

const UNPACK = { br: brotliDecompressSync, gzip: gunzipSync }
const QUERY = JSON.stringify({
  query: '{ intents(first: 200) { nodes { intentId sender createTxHash timeline { txHash } } } }',
})

describe.each(['br', 'gzip'] as const)('%s', (encoding) => {
  test.each([
    ['/intents?limit=200', undefined, {}],
    ['/v1/intents?limit=200', undefined, {}],
    ['/openapi.json', undefined, {}],
    ['/graphql', QUERY, { 'content-type': 'application/json' }],
    ['/metrics', undefined, {}],
    ['/docs/swagger-ui-bundle.js', undefined, {}],
    ['/docs/swagger-ui.css', undefined, {}],
    ['/graphql', undefined, { accept: 'text/html' }],
  ])('%s is less than half its size compressed, on both paths', async (path, body, headers) => {
    const method = body === undefined ? 'GET' : 'POST'
    for (const url of [api.url, plain.url]) {
      const whole = await requestRaw(url + path, { method, headers, body })
      const packed = await requestRaw(url + path, {
        method,
        headers: { ...headers, 'accept-encoding': encoding },
        body,
      })
      expect(whole.status).toBe(200)
      expect(packed).toMatchObject({ status: 200, headers: { 'content-encoding': encoding } })
      expect(whole.headers).not.toHaveProperty('content-encoding')
      for (const { headers: own } of [whole, packed]) expect(own.vary).toContain('accept-encoding')
      expect(packed.body.length).toBeLessThan(whole.body.length / 2)
      const unpacked = UNPACK[encoding](packed.body)
      if (path !== '/metrics') expect(unpacked.equals(whole.body)).toBe(true)
      expect(packed.headers['content-type']).toBe(whole.headers['content-type'])
    }
  })
})

test('a compressed response’s tag is weak, and revalidates both forms', async () => {
  for (const url of [api.url, plain.url]) {
    const path = `${url}/intents?limit=100`
    const whole = await get(path, {})
    const packed = await get(path, { 'accept-encoding': 'gzip, br' })
    expect(packed.headers.etag).toBe(`W/${whole.headers.etag}`)
    for (const tag of [whole.headers.etag, packed.headers.etag] as string[]) {
      const again = await get(path, { 'accept-encoding': 'br', 'if-none-match': tag })
      expect([again.status, again.body.length]).toEqual([304, 0])
      expect(again.headers.vary).toContain('accept-encoding')
    }
  }
})

test('small or private responses and streams stay uncompressed', async () => {
  const headers = { 'accept-encoding': 'br, gzip' }
  // No cache may keep it: packed, its size would tell of what is in it.
  const health = await get(`${api.url}/health`, headers)
  expect(health.headers['cache-control']).toBe('no-store')
  expect(health.headers).not.toHaveProperty('content-encoding')
  const small = await get(`${api.url}/intents?limit=1&status=pending,solving`, headers)
  if (small.body.length < 1_024) expect(small.headers).not.toHaveProperty('content-encoding')
  const leaving = new AbortController()
  const query = encodeURIComponent('subscription { intentUpdated { intentId } }')
  const stream = await fetch(`${api.url}/graphql?query=${query}`, {
    headers: { ...headers, accept: 'text/event-stream' },
    signal: leaving.signal,
  })
  expect(stream.headers.get('content-encoding')).not.toMatch(/br|gzip/)
  leaving.abort()
})

test.each([
  ['', null],
  ['identity', null],
  ['gzip', 'gzip'],
  ['gzip, deflate, br', 'br'],
  ['br;q=0.1, gzip;q=0.9', 'gzip'],
  ['br;q=0, gzip;q=0', null],
  ['*', 'br'],
  ['br;q=0, *', 'gzip'],
  ['GZIP; Q=1', 'gzip'],
  ['gzip;q=nonsense', null],
  ['zstd', null],
])('Accept-Encoding "%s" is answered with %s', (header, encoding) => {
  expect(acceptedEncoding(header)).toBe(encoding)
})

test('concurrent requests compress a body once', async () => {
  const compressor = createCompressor(2 ** 20)
  const body = JSON.stringify({ many: 'words '.repeat(1_000) })
  const all = await Promise.all(
    Array.from({ length: 50 }, () => compressor.compress(body, 'br', null)),
  )
  expect(new Set(all).size).toBe(1)
  expect(compressor.compress(body, 'br', null)).toBe(all[0])
  const gzipped = await compressor.compress(body, 'gzip', null)
  expect(gzipped).not.toEqual(all[0])
  expect(compressor.compress(body, 'gzip', null)).toBe(gzipped)
  expect(compressor.compress(body, 'br', null)).toBe(all[0])
})

test('a cached response takes only its own bytes of memory', async () => {
  const small = await createCompressor(1_000_000).compress('intent'.repeat(400), 'br', null)
  const whole = concatenateAsUtf8(['{"intents":[', ']}'])
  for (const bytes of [small, whole]) expect(bytes.buffer.byteLength).toBe(bytes.length)
})
