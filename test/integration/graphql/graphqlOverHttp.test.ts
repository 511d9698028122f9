import { serverAudits } from 'graphql-http'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createGraphqlRoutes } from '../../../api/graphql/graphqlRoutes.ts'
import { type SeededApi, startSeededApi } from '../rest/seededApi.ts'

let api: SeededApi
const problems: unknown[] = []

beforeAll(async () => {
  api = await startSeededApi({
    intents: 20,
    routes: [createGraphqlRoutes({ onProblem: (error) => problems.push(error) })],
  })
})

afterAll(async () => {
  await api?.stop()
  expect(problems).toEqual([])
})

const QUERY = '{ intents(first: 1) { nodes { intentId } } }'

describe.each(['/graphql', '/v1/graphql', '/graphql/', '/v1/graphql/'])('%s', (path) => {
  test('GraphQL answers GET and POST in every media type', async () => {
    const { body } = await api.post('/graphql', { query: QUERY })
    expect(body.data.intents.nodes).toHaveLength(1)
    const got = await api.get(`${path}?query=${encodeURIComponent(QUERY)}`)
    expect([got.status, got.body]).toEqual([200, body])
    for (const accept of ['application/json', 'application/graphql-response+json', 'text/*, */*']) {
      const posted = await api.post(path, { query: QUERY }, { accept })
      expect([posted.status, JSON.parse(posted.text)]).toEqual([200, body])
    }
  })

  test('GraphQL shows browsers the playground', async () => {
    const page = await api.get(path, { accept: 'text/html' })
    expect([page.status, page.headers.get('content-type')]).toEqual([
      200,
      'text/html; charset=utf-8',
    ])
  })

  test('GraphQL answers HEAD as GET, without the body, and opens no stream for it', async () => {
    const head = (query: string, accept: string) =>
      fetch(`${api.url}${path}?query=${encodeURIComponent(query)}`, {
        method: 'HEAD',
        headers: { accept },
      })
    const query = await head(QUERY, 'application/json')
    expect([query.status, await query.text()]).toEqual([200, ''])
    expect((await head('{ nothing }', 'application/graphql-response+json')).status).toBe(400)
    expect((await head('', 'text/html')).headers.get('content-type')).toContain('text/html')
    const stream = await head('subscription { intentUpdated { intentId } }', 'text/event-stream')
    expect([stream.status, await stream.text()]).toEqual([200, ''])
    const plain = await head('subscription { intentUpdated { intentId } }', '*/*')
    expect(await plain.text()).toBe('')
    const metrics = (await api.get('/metrics')).text
    expect(metrics).toMatch(/^cairn_graphql_subscriptions 0$/m)
  })

  test('GraphQL refuses other methods and media types, and says why', async () => {
    const put = await fetch(api.url + path, { method: 'PUT', body: '{}' })
    expect([put.status, put.headers.get('allow')]).toEqual([405, 'GET, HEAD, OPTIONS, POST'])
    const text = await api.post(path, QUERY, { 'content-type': 'text/plain' })
    expect([text.status, text.body.errors]).toEqual([
      415,
      [
        {
          message: 'expected content-type: application/json',
          extensions: { code: 'UNSUPPORTED_MEDIA_TYPE' },
        },
      ],
    ])
    const xml = await api.post(path, { query: QUERY }, { accept: 'application/xml' })
    expect([xml.status, xml.body.errors[0].extensions.code]).toEqual([406, 'NOT_ACCEPTABLE'])
  })

  test('a subscription whose client accepts no stream is refused, and none stays open', async () => {
    const query = 'subscription { intentUpdated { intentId } }'
    for (const accept of ['application/json', 'multipart/mixed']) {
      const refused = await api.post(path, { query }, { accept })
      expect([refused.status, refused.body.errors[0].message]).toEqual([
        406,
        'expected accept: application/json or, for a subscription, text/event-stream',
      ])
    }
    const metrics = (await api.get('/metrics')).text
    expect(metrics).toMatch(/^cairn_graphql_subscriptions 0$/m)
  })
})

describe('the specification audit of GraphQL over HTTP', () => {
  const audits = serverAudits({ url: () => `${api.url}/graphql`, fetchFn: fetch })

  test.each(audits.map((audit) => [audit.name, audit] as const))('%s', async (_, audit) => {
    const result = await audit.fn()
    // A notice is about something a server may do differently.
    if (result.status === 'ok' || result.status === 'notice') return
    expect.fail(`${result.status}: ${result.reason}`)
  })
})
