import { Client, cacheExchange, fetchExchange, gql } from '@urql/core'
import { buildClientSchema, getIntrospectionQuery } from 'graphql'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createGraphqlRoutes } from '../../../api/graphql/graphqlRoutes.ts'
import { type RunningApi, startApi } from '../../../api/rest/startApi.ts'
import { type GraphqlRig, startGraphqlRig } from './graphqlRig.ts'

let rig: GraphqlRig
let api: RunningApi
beforeAll(async () => {
  rig = await startGraphqlRig({ intents: 100 })
  api = await startApi({
    databaseUrl: rig.databaseUrl,
    chains: [],
    host: '127.0.0.1',
    port: 0,
    routes: [createGraphqlRoutes({ onProblem: (error) => rig.problems.push(error) })],
  })
})
afterAll(async () => {
  await api?.stop()
  await rig?.stop()
  expect(rig?.problems).toEqual([])
})

const PAGE = gql`
  query Page($first: Int!, $status: [IntentStatus!]) {
    intents(first: $first, where: { status: { in: $status } }) {
      totalCount
      nodes {
        __typename
        id
        status
        bids {
          nodes {
            id
            amountB
          }
        }
      }
    }
  }
`

test.each([
  ['POST', false],
  ['GET', true],
] as const)('a stock client gets an answer by %s', async (_, preferGetMethod) => {
  const client = new Client({
    url: `${api.url}/graphql`,
    exchanges: [cacheExchange, fetchExchange],
    preferGetMethod,
  })
  const variables = { first: 5, status: ['completed'] }
  const { data, error } = await client.query(PAGE, variables).toPromise()
  expect(error).toBeUndefined()
  expect(data.intents.nodes).toHaveLength(5)
  expect(data.intents.nodes[0]).toMatchObject({ __typename: 'Intent', status: 'completed' })
  expect(data.intents.totalCount).toBeGreaterThan(5)
})

test('a client builds the schema from introspection', async () => {
  const response = await fetch(`${api.url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      query: getIntrospectionQuery({ descriptions: true, schemaDescription: true }),
    }),
  })
  const { data } = (await response.json()) as { data: never }
  const schema = buildClientSchema(data)
  expect(schema.getType('Intent')?.description).toContain('offer')
  expect(schema.getSubscriptionType()?.getFields()).toHaveProperty('intentUpdated')
})

test('the GraphiQL page is self-contained, and its policy forbids loading from elsewhere', async () => {
  const headers = { accept: 'text/html,application/xhtml+xml' }
  const response = await fetch(`${api.url}/graphql`, { headers })
  expect(response.headers.get('content-type')).toContain('text/html')
  expect(response.headers.get('content-security-policy')).toMatch(
    /default-src 'none'.*connect-src 'self'/,
  )
  const page = await response.text()
  expect(page).toContain('The newest intents and their status')
  expect(page).not.toMatch(/<(script|link|img|iframe)\b[^>]*\b(src|href)="(https?:)?\/\//)
  const etag = response.headers.get('etag') ?? ''
  const again = await fetch(`${api.url}/graphql`, {
    headers: { ...headers, 'if-none-match': etag },
  })
  expect(again.status).toBe(304)
})

test('an EventSource subscribes by GET through the whole server', async () => {
  const query = encodeURIComponent('subscription { intentUpdated { intentId } }')
  const leaving = new AbortController()
  const response = await fetch(`${api.url}/graphql?query=${query}`, {
    headers: { accept: 'text/event-stream' },
    signal: leaving.signal,
  })
  expect(response.status).toBe(200)
  expect(response.headers.get('content-type')).toContain('text/event-stream')
  await rig.client.query(`select app.install_row_triggers('cairn_84532_seeded')`)
  await rig.client.query(
    `update cairn_84532_seeded.intent set updated_block = updated_block + 1 where intent_id =
       (select min(intent_id) from cairn_84532_seeded.intent)`,
  )
  let heard = ''
  const decoder = new TextDecoder()
  const reader = response.body!.getReader()
  while (!heard.includes('event: next')) {
    heard += decoder.decode((await reader.read()).value, { stream: true })
  }
  expect(heard).toMatch(/event: next\ndata: {"data":{"intentUpdated":{"intentId":"\d+"}}}/)
  leaving.abort()
})
