import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createGraphqlRoutes } from '../../../api/graphql/graphqlRoutes.ts'
import { type RunningApi, startApi } from '../../../api/rest/startApi.ts'
import { requestRaw } from './requestRaw.ts'
import { BASE, CHAINS, type SeededApi, startSeededApi } from './seededApi.ts'

/** One API that takes the short way where there is one, and one that never does, over the same rows. */
let api: SeededApi
let plain: RunningApi

const LIMITS = {
  reads: { perSecond: 0.001, burst: 40 },
  writes: { perSecond: 100, burst: 100 },
}

const routes = [createGraphqlRoutes({ onProblem: () => {} })]

beforeAll(async () => {
  api = await startSeededApi({
    intents: 300,
    limits: LIMITS,
    trustedProxies: ['127.0.0.1'],
    routes,
  })
  plain = await startApi({
    databaseUrl: api.postgres.databaseUrl,
    chains: CHAINS,
    host: '127.0.0.1',
    port: 0,
    limits: LIMITS,
    trustedProxies: ['127.0.0.1'],
    rpcPollMs: 100,
    fastPath: false,
    routes,
  })
})
afterAll(async () => {
  await plain?.stop()
  await api?.stop()
})

/** A response without what may differ between two equal ones. */
async function requestComparable(
  url: string,
  headers: Record<string, string>,
  method = 'GET',
  body = '',
) {
  const response = await requestRaw(url, { method, headers, body })
  const { date: _, ...rest } = response.headers
  // Seconds go by between two requests.
  rest.ratelimit = String(rest.ratelimit).replace(/t=\d+$/, '')
  if (Number(rest['retry-after']) > 900) rest['retry-after'] = '900'
  // A response that isn't streamed may or may not state its size.
  if (body !== '') {
    delete rest['content-length']
    delete rest['transfer-encoding']
  }
  return { status: response.status, headers: rest, body: String(response.body) }
}

async function sameBothWays(
  path: string,
  headers: Record<string, string> = {},
  method?: string,
  body?: string,
) {
  const given = { 'x-request-id': 'one-and-the-same', ...headers }
  const short = await requestComparable(`${api.url}${path}`, given, method, body)
  expect(short).toEqual(await requestComparable(`${plain.url}${path}`, given, method, body))
  return short
}

/** Each test is its own client. */
function clientOf(number: number) {
  return { 'x-forwarded-for': `10.1.2.${number}` }
}

async function intentWhere(condition: string): Promise<string> {
  const { rows } = await sql<{ id: string }>`select intent_id::text as id from cairn.intent
    where ${sql.raw(condition)} order by intent_id limit 1`.execute(api.database.db)
  return rows[0]?.id as string
}

test.each([
  ['that has ended', `phase = 'completed'`],
  ['that was refunded', `phase = 'expired'`],
  ['under way', `phase in ('open', 'bidding', 'deposited')`],
])('an intent %s gets the same response on both paths: first, repeated and revalidated', async (_, where) => {
  const path = `/intent-details/${await intentWhere(where)}`
  const client = clientOf(where.length)
  const first = await sameBothWays(path, client)
  expect(first).toMatchObject({ status: 200, headers: { 'x-request-id': 'one-and-the-same' } })
  expect(await sameBothWays(path, client)).toMatchObject({ body: first.body })
  const versioned = await sameBothWays(`/v1${path}`, client)
  expect(versioned.body).toBe(first.body)
  const etag = String(first.headers.etag)
  const known = await sameBothWays(path, { ...client, 'if-none-match': etag })
  expect(known).toMatchObject({ status: 304, body: '' })
  await sameBothWays(path, { ...client, 'if-none-match': `W/"other", ${etag}` })
  await sameBothWays(path, { ...client, 'if-none-match': '"other"' })
  await sameBothWays(path, client, 'HEAD')
})

test('both paths respond alike to unknown, invalid and unusual ids', async () => {
  const id = await intentWhere('true')
  const none = String((BigInt(BASE) << 64n) + 999_999n)
  const client = clientOf(200)
  for (const path of [
    `/intent-details/${none}`,
    '/intent-details/0',
    '/intent-details/007',
    `/intent-details/${'9'.repeat(78)}`,
    `/intent-details/${id}x`,
    `/intent-details/${id}/`,
    `/intent-details/${id}?sourceChainId=base_sepolia`,
    `/intent-details/${id}?`,
    `/intent-details/${id}?unknown=1`,
    `/v1/v1/intent-details/${id}`,
    '/intent-details/123',
  ]) {
    await sameBothWays(path, client)
  }
  expect((await sameBothWays(`/intent-details/${none}`, client)).status).toBe(404)
})

test('both paths share a limit, and refuse alike', async () => {
  const id = await intentWhere('true')
  const client = clientOf(201)
  for (let number = 0; number < 20; number++) {
    await sameBothWays(`/intent-details/${id}`, client)
    await sameBothWays('/intents?limit=1', client)
  }
  const refused = await sameBothWays(`/intent-details/${id}`, client)
  expect(refused).toMatchObject({ status: 429, body: expect.stringContaining('RATE_LIMITED') })
  expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0)
})

test('both paths respond alike to pages, first and repeated', async () => {
  const client = clientOf(203)
  for (const path of ['/intents', '/intents?limit=3&status=completed', '/v1/intents?limit=2']) {
    const first = await sameBothWays(path, client)
    expect((await sameBothWays(path, client)).body).toBe(first.body)
    const known = { ...client, 'if-none-match': String(first.headers.etag) }
    expect(await sameBothWays(path, known)).toMatchObject({ status: 304, body: '' })
    await sameBothWays(path, client, 'HEAD')
  }
  for (const path of ['/intents?limit=x', '/intents?', '/intents?limit=1&limit=2', '/intents/']) {
    await sameBothWays(path, client)
    await sameBothWays(path, client)
  }
})

test('both paths accept and refuse list parameters alike', async () => {
  const client = clientOf(205)
  const first = await sameBothWays('/intents?limit=2&orderBy=amountA&direction=asc', client)
  const { nextCursor, intents } = JSON.parse(first.body)
  const address = intents[0].sender
  const next = `/intents?limit=2&orderBy=amountA&direction=asc&cursor=${nextCursor}`
  for (const path of [
    next,
    `/intents?sender=${address}&total=true`,
    `/intents?sender=${address.toUpperCase()}&sourceChainId=base_sepolia`,
    '/intents?status=completed,failed&createdAfter=2020-01-01T00:00:00Z',
    '/intents?status=completed%2Cfailed&limit=1',
    '/intents?limit=1&',
  ]) {
    expect(await sameBothWays(path, client)).toMatchObject({ status: 200 })
  }
  for (const path of [
    `/intents?limit=2&cursor=${nextCursor}`,
    '/intents?cursor=bad',
    '/intents?sourceChainId=nowhere',
    '/intents?unknown=1',
    '/intents?__proto__=1',
    '/intents?limit',
    '/intents?sender=0x12',
    '/intents?asOfBlock=1',
  ]) {
    expect((await sameBothWays(path, client)).status).toBeGreaterThanOrEqual(400)
  }
})

const QUERY = JSON.stringify({ query: '{ intents(first: 2) { nodes { intentId status } } }' })

test.each([
  ['a query', QUERY, {}],
  ['the same again', QUERY, {}],
  ['under /v1 too', QUERY, {}],
  ['with the answer’s own type', QUERY, { accept: 'application/graphql-response+json' }],
  [
    'with both types',
    QUERY,
    { accept: 'application/graphql-response+json, application/json', origin: 'https://x.example' },
  ],
  ['with a type that is ours to choose', QUERY, { accept: 'text/event-stream, */*;q=0.5' }],
  ['a mistake', JSON.stringify({ query: '{ intents(first: 0) { nodes { intentId } } }' }), {}],
  ['no JSON', '{', {}],
  ['no query', '{}', {}],
  ['of another type', QUERY, { 'content-type': 'text/plain' }],
  ['too large', JSON.stringify({ query: `{ __typename } #${'x'.repeat(70_000)}` }), {}],
])('POST /graphql, %s', async (name, body, headers) => {
  const path = name.includes('/v1') ? '/v1/graphql' : '/graphql'
  const given = { ...clientOf(204), 'content-type': 'application/json', ...headers }
  await sameBothWays(path, given, 'POST', body)
})

test('metrics count requests of both paths', async () => {
  const { text } = await api.get('/metrics', clientOf(202))
  const other = await (await fetch(`${plain.url}/metrics`, { headers: clientOf(202) })).text()
  const counts = (metrics: string) =>
    [...metrics.matchAll(/^cairn_http_request_duration_seconds_count.*intent-details.*$/gm)]
      .map(([line]) => line)
      // Refused before the app knows for which endpoint.
      .filter((line) => !line.includes('"429"'))
      .sort()
  expect(counts(text)).toEqual(counts(other))
  expect(counts(text).length).toBeGreaterThan(2)
  expect(Number(/^cairn_cache_hits_total (\d+)$/m.exec(text)?.[1])).toBeGreaterThan(0)
})
