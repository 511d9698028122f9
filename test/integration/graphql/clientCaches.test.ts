import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { ApolloClient, gql, HttpLink, InMemoryCache } from '@apollo/client'
import { Client, fetchExchange } from '@urql/core'
import { cacheExchange } from '@urql/exchange-graphcache'
import {
  buildClientSchema,
  getIntrospectionQuery,
  type IntrospectionQuery,
  printSchema,
} from 'graphql'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createGraphqlRoutes } from '../../../api/graphql/graphqlRoutes.ts'
import { type SeededApi, startSeededApi } from '../rest/seededApi.ts'

// biome-ignore lint/suspicious/noExplicitAny: the query decides the answer's shape
type Any = any

let api: SeededApi
let url: string
let introspection: IntrospectionQuery
/** A completed intent, and the block of its creation, when it was pending. */
let intent: { id: string; chain: string; block: number }
/** Days at both ends of a range that has some, but not all, of the intents. */
let days: { first: string; last: string }

beforeAll(async () => {
  api = await startSeededApi({
    intents: 300,
    routes: [createGraphqlRoutes({ onProblem: (error) => expect.fail(String(error)) })],
  })
  url = `${api.url}/graphql`
  introspection = await data(getIntrospectionQuery())
  const { rows } = await sql<{ id: string; chain: string; block: number }>`
    select intent_id::text as id, source_chain_id::text as chain, created_block::int as block
    from cairn.intent where phase = 'completed' order by created_block limit 1`.execute(
    api.database.db,
  )
  intent = rows[0]!
  const { pairTotals } = await data('{ pairTotals(first: 1) { nodes { firstDay lastDay } } }')
  days = { first: pairTotals.nodes[0].firstDay, last: pairTotals.nodes[0].lastDay }
})

afterAll(() => api?.stop())

async function data(query: string, variables: object = {}): Promise<Any> {
  const { body } = await api.post('/graphql', { query, variables })
  expect(body.errors).toBeUndefined()
  return body.data
}

/**
 * One intent now and in the past, the same pairs over all days and over one, and routes of the same pairs.
 */
const NOW =
  'query Now($id: BigInt!) { intent(id: $id) { __typename id status bids { nodes { __typename id } } events { nodes { __typename id intent { __typename id status } } } } }'
const THEN = `query Then($id: BigInt!, $chain: ChainId!, $block: BlockNumber!) {
  intent(id: $id, asOf: [{ chainId: $chain, block: $block }]) { __typename id status events { nodes { __typename id intent { __typename id status } } } } }`
const TOTALS =
  'query Totals($where: PairDayFilter) { pairTotals(first: 100, where: $where) { nodes { __typename id created firstDay lastDay } } }'
const ROUTES =
  'query Routes { routes(first: 100) { nodes { __typename id isOpen } } pairTotals(first: 100) { nodes { __typename id created } } }'

type Ask = (query: string, variables: object) => Promise<Any>

/** Expects the same from every cache. `again` reads from the cache alone. */
async function keepsMomentsApart(ask: Ask, again: Ask) {
  const now = { id: intent.id }
  const before = await ask(NOW, now)
  expect(before.intent.status).toBe('completed')
  const then = await ask(THEN, { ...now, chain: intent.chain, block: intent.block })
  expect(then.intent.status).toBe('pending')
  expect(then.intent.events.nodes[0].intent.status).toBe('pending')
  expect(await again(NOW, now)).toEqual(before)

  const all = await ask(TOTALS, {})
  const oneDay = { where: { day: { eq: days.last } } }
  const some = await ask(TOTALS, oneDay)
  expect(some.pairTotals.nodes).not.toEqual(all.pairTotals.nodes)
  expect(await again(TOTALS, {})).toEqual(all)
  expect(await again(TOTALS, oneDay)).toEqual(some)

  const routes = await ask(ROUTES, {})
  expect(await again(ROUTES, {})).toEqual(routes)
}

test('Apollo Client’s cache keeps moments, ranges and types apart', async () => {
  const client = new ApolloClient({ link: new HttpLink({ uri: url }), cache: new InMemoryCache() })
  const by = (fetchPolicy: 'network-only' | 'cache-only') =>
    (async (query, variables) => {
      const answer = await client.query({ query: gql(query), variables, fetchPolicy } as never)
      return answer.data
    }) satisfies Ask
  await keepsMomentsApart(by('network-only'), by('cache-only'))
})

test('urql’s graphcache keeps moments, ranges and types apart, without warnings', async () => {
  const warnings: unknown[] = []
  const embedded = introspection.__schema.types
    .filter((type) => type.kind === 'OBJECT' && !type.fields.some(({ name }) => name === 'id'))
    .map(({ name }) => [name, () => null] as const)
  const cache = cacheExchange({
    schema: introspection as never,
    keys: Object.fromEntries(embedded),
    logger: (...words) => warnings.push(words),
  })
  const client = new Client({ url, exchanges: [cache, fetchExchange], preferGetMethod: false })
  const by = (requestPolicy: 'network-only' | 'cache-only') =>
    (async (query, variables) => {
      const answer = await client.query(query, variables, { requestPolicy }).toPromise()
      expect(answer.error).toBeUndefined()
      return answer.data
    }) satisfies Ask
  await keepsMomentsApart(by('network-only'), by('cache-only'))
  expect(warnings).toEqual([])
})

describe('Relay', () => {
  const directory = mkdtempSync(join(tmpdir(), 'cairn-relay-'))
  afterAll(() => rmSync(directory, { recursive: true, force: true }))

  test('Relay compiles queries against the schema, refetches nodes, and keeps moments, ranges and types apart', async () => {
    compile(directory, [
      NOW.replace('query Now', 'query AppNowQuery'),
      THEN.replace('query Then', 'query AppThenQuery'),
      TOTALS.replace('query Totals', 'query AppTotalsQuery'),
      ROUTES.replace('query Routes', 'query AppRoutesQuery'),
      'query AppNodeQuery($id: ID!) { node(id: $id) { __typename id ... on Intent { status } } }',
    ])
    const require = createRequire(import.meta.url)
    const { Environment, fetchQuery, Network, RecordSource, Store } = require('relay-runtime')
    const environment = new Environment({
      network: Network.create(({ text }: { text: string }, variables: object) =>
        api.post('/graphql', { query: text, variables }).then(({ body }) => body),
      ),
      store: new Store(new RecordSource(), { gcReleaseBufferSize: 100 }),
    })
    const artifact = (query: string) => {
      const [, name] = /query (\w+)/.exec(query)!
      return require(join(directory, `artifacts/App${name}Query.graphql.js`))
    }
    const by = (fetchPolicy: string) =>
      (async (query, variables) => {
        const options = { fetchPolicy }
        return fetchQuery(environment, artifact(query), variables, options).toPromise()
      }) satisfies Ask
    await keepsMomentsApart(by('network-only'), by('store-or-network'))
    const { node } = await by('network-only')('query Node', {
      id: `Intent:${intent.chain}:${intent.id}@${intent.chain}:${intent.block}`,
    })
    expect(node.status).toBe('pending')
  })
})

function compile(directory: string, queries: string[]) {
  mkdirSync(join(directory, 'src'))
  mkdirSync(join(directory, 'artifacts'))
  writeFileSync(join(directory, 'schema.graphql'), printSchema(buildClientSchema(introspection)))
  const tags = queries.map((query) => `graphql\`${query}\`;`)
  writeFileSync(
    join(directory, 'src/App.js'),
    `const { graphql } = require('relay-runtime');\n${tags.join('\n')}\n`,
  )
  writeFileSync(
    join(directory, 'relay.config.json'),
    JSON.stringify({
      src: './src',
      schema: './schema.graphql',
      language: 'javascript',
      artifactDirectory: './artifacts',
    }),
  )
  const compiler = fileURLToPath(
    new URL('../../../node_modules/relay-compiler/cli.js', import.meta.url),
  )
  execFileSync(process.execPath, [compiler, 'relay.config.json'], { cwd: directory, stdio: 'pipe' })
}

const IDS = `{ intents(first: 20) { nodes { id bids { nodes { id solver { id } } } events { nodes { id } } } }
  solvers { nodes { id } } routes { nodes { id } } pairDays(first: 20) { nodes { id } }
  pairTotals { nodes { id } } escrow { id } bridges { id } }`

/** Collects every id in an answer. */
function idsIn(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, inner]) =>
    name === 'id' ? [inner as string] : idsIn(inner),
  )
}

test('node finds each id as the type it belongs to, and no two types share an id', async () => {
  const ids = [...new Set(idsIn(await data(IDS)))]
  const then = await data(THEN, { id: intent.id, chain: intent.chain, block: intent.block })
  const some = await data(TOTALS, { where: { day: { gte: days.first, lte: days.first } } })
  ids.push(...new Set([...idsIn(then), ...idsIn(some)]))
  const kinds = new Set(ids.map((id) => id.split(':')[0]))
  expect([...kinds].toSorted()).toEqual([
    ...['Bid', 'Bridge', 'Escrow', 'Event', 'Intent', 'PairDay', 'PairTotal', 'Route', 'Solver'],
  ])
  for (const id of ids) {
    const { node } = await data('query ($id: ID!) { node(id: $id) { __typename id } }', { id })
    expect(node, id).toEqual({ __typename: id.split(':')[0], id })
  }
})

test('the id of a bid in the past contains the moment, and leads back to the bid', async () => {
  const { intent: now } = await data(
    'query ($id: BigInt!) { intent(id: $id) { bids { nodes { id blockNumber } } } }',
    { id: intent.id },
  )
  const [{ id, blockNumber }] = now.bids.nodes
  const bid = '... on Bid { id intent { id status } }'
  const { intent: then } = await data(
    `query ($id: BigInt!, $chain: ChainId!, $block: BlockNumber!) {
      intent(id: $id, asOf: [{ chainId: $chain, block: $block }]) { bids { nodes { ${bid} } } } }`,
    { id: intent.id, chain: intent.chain, block: blockNumber },
  )
  const moment = `@${intent.chain}:${blockNumber}`
  const expected = {
    id: `${id}${moment}`,
    intent: { id: `Intent:${intent.chain}:${intent.id}${moment}`, status: 'pending' },
  }
  expect(then.bids.nodes[0]).toEqual(expected)
  const { node } = await data(`query ($id: ID!) { node(id: $id) { ${bid} } }`, { id: expected.id })
  expect(node).toEqual(expected)
})

test('types without history have no ids of past moments', async () => {
  const { solvers } = await data('{ solvers(first: 1) { nodes { id } } }')
  const id = `${solvers.nodes[0].id}@${intent.chain}:${intent.block}`
  expect(await data('query ($id: ID!) { node(id: $id) { id } }', { id })).toEqual({ node: null })
})

test.each([
  'nonsense',
  '',
  'Intent:84532:1',
  'Intent:84532',
  'Intent:84532:1@',
  'Intent:84532:1@84532',
  'Query:1',
  'constructor:1',
  `Solver:0x${'00'.repeat(20)}`,
  `Event:84532:1:1:0x${'00'.repeat(32)}`,
  'Bid:84532:1:1',
  "Bridge:1' or '1'='1",
])('node finds nothing for the id "%s"', async (id) => {
  expect(await data('query ($id: ID!) { node(id: $id) { id } }', { id })).toEqual({ node: null })
})

test('a list read through node counts toward the size of a query as anywhere else', async () => {
  const deep = `{ node(id: "Intent:1:1") { ... on Intent { bids(first: 100) { nodes { solver { volumes { token } chains { chain } } } }
    a: bids(first: 100) { nodes { solver { volumes { token } } } } b: bids(first: 100) { nodes { solver { volumes { token } } } }
    c: bids(first: 100) { nodes { solver { volumes { token } } } } d: bids(first: 100) { nodes { solver { volumes { token } } } }
    e: bids(first: 100) { nodes { solver { volumes { token } } } } } } }`
  const { body } = await api.post('/graphql', { query: deep })
  expect(body.errors[0].extensions.code).toBe('QUERY_TOO_COSTLY')
})
