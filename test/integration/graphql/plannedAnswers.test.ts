import fc from 'fast-check'
import {
  type GraphQLField,
  type GraphQLObjectType,
  getNamedType,
  isInterfaceType,
  isObjectType,
  isRequiredArgument,
} from 'graphql'
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import { createSchema } from '../../../api/graphql/createSchema.ts'
import { LIMITS } from '../../../api/graphql/limits/limits.ts'
import { type GraphqlRig, startGraphqlRig } from './graphqlRig.ts'

/** Compares planned answers with those of graphql-js, byte by byte. */
let rig: GraphqlRig
let ids: string[]
let hash: string

const schema = createSchema()

beforeAll(async () => {
  rig = await startGraphqlRig({ intents: 120 })
  const { intents } = await rig.data('{ intents(first: 100) { nodes { intentId createTxHash } } }')
  ids = intents.nodes.map((node: { intentId: string }) => node.intentId)
  hash = intents.nodes[0].createTxHash
})
afterAll(() => rig?.stop())
afterEach(() => {
  vi.useRealTimers()
})

type Body = { query: string; variables?: unknown; operationName?: unknown; [more: string]: unknown }

async function usually(body: Body): Promise<{ status: number; text: string }> {
  const response = await rig.graphql.handle(
    new Request('http://cairn.test/graphql', {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json' },
      body: JSON.stringify(body),
    }),
    'test',
  )
  return { status: response.status, text: await response.text() }
}

async function quickly(body: Body): Promise<string | null> {
  return (await rig.graphql.planned(JSON.stringify(body), 'test'))?.body ?? null
}

const WHOLE = `intentId sourceChainId status substatus isTerminal finality sequence sender amountA endTime
  feeBps bestBidder solverAddress settledAt chain2IntentId delivery { isValid solveTxHash destChain }
  refund { status amount claimableAt } timeline { type status at blockNumber }`

/** All scalar fields of an intent. */
const LEAVES = Object.values((schema.getType('Intent') as GraphQLObjectType).getFields())
  .filter(({ type }) => !isObjectType(getNamedType(type)))
  .map(({ name }) => name)

const PLANNED: [string, Body | (() => Body)][] = [
  ['one intent', () => ({ query: `{ intent(id: "${ids[0]}") { ${WHOLE} } }` })],
  [
    'one intent by variables, named',
    () => ({
      query: `query One($id: BigInt!, $chain: ChainId) { intent(id: $id, sourceChainId: $chain) { ${WHOLE} } }`,
      variables: { id: ids[1] },
      operationName: 'One',
    }),
  ],
  ['one that is not there', { query: '{ intent(id: "7") { intentId } }', variables: null }],
  ['the newest', { query: `{ intents { nodes { ${WHOLE} } totalCount } }` }],
  ['every field of a list', { query: `{ intents(first: 100) { nodes { ${LEAVES.join(' ')} } } }` }],
  ['a list of nothing but its end', { query: '{ intents(last: 2) { pageInfo { startCursor } } }' }],
  [
    'a list within a list',
    {
      query: `{ intents(first: 4) { nodes { sender endTime } edges { cursor node { feeBps
        events(first: 2) { nodes { intent { sender status bestBid sourceChain } } } } } } }`,
    },
  ],
  [
    'a filtered page, its cursors',
    {
      query: `query ($where: IntentFilter, $n: Int = 3) { intents(first: $n, where: $where, orderBy: {field: amountA, direction: asc}) {
        edges { cursor node { intentId amountA } } pageInfo { hasNextPage hasPreviousPage startCursor endCursor } } }`,
      variables: { where: { status: { in: ['completed', 'expired'] } } },
    },
  ],
  [
    'lists in lists, through loaders',
    {
      query: `{ intents(first: 5) { nodes { intentId solver { address chains { chain bids } volumes { token delivered } }
        bids(first: 2) { nodes { amountB solver { address } } pageInfo { endCursor } }
        events(first: 3) { nodes { type args intent { intentId status } } } } } }`,
    },
  ],
  [
    'aliases, fragments, fields named twice',
    () => ({
      query: `query { a: intent(id: "${ids[2]}") { ...F ... on Intent { amountA x: amountA } }
        b: intent(id: "${ids[3]}") { ...F delivery { amountB } delivery { amountB solver: solverAddress } } __typename }
        fragment F on Intent { __typename intentId delivery { __typename } ... { reward } }`,
    }),
  ],
  ['by transaction', () => ({ query: `{ intentsByTransaction(hash: "${hash}") { intentId } }` })],
  [
    'statistics',
    {
      query: `{ pairDays(first: 5) { nodes { id day created createdVolumeA } } chainTotals { chain created }
        solvers(first: 3) { nodes { id address bids } } routes(first: 2) { nodes { id } } batches { count }
        escrow { chain open } bridges { address tokens { token } destinations { destChain } } _meta { chains { chainId } } }`,
    },
  ],
]

test.each(PLANNED)('a planned query answers as graphql-js does: %s', async (_, given) => {
  const body = typeof given === 'function' ? given() : given
  const usual = await usually(body)
  expect(usual.text).not.toContain('"errors"')
  expect(await quickly(body)).toBe(usual.text)
  expect(await quickly(body)).toBe(usual.text)
})

const LEFT: [string, Body | (() => Body)][] = [
  ['a syntax error', { query: '{ intent(' }],
  ['an unknown field', { query: '{ nothing }' }],
  ['a wrong argument', { query: '{ intents(first: 0) { nodes { intentId } } }' }],
  ['a wrong literal', { query: '{ intent(id: "x") { intentId } }' }],
  [
    'a wrong variable',
    { query: 'query ($id: BigInt!) { intent(id: $id) { intentId } }', variables: { id: [] } },
  ],
  ['a missing variable', { query: 'query ($id: BigInt!) { intent(id: $id) { intentId } }' }],
  ['a wrong cursor', { query: '{ intents(after: "x") { nodes { intentId } } }' }],
  ['several operations, none named', { query: 'query A { __typename } query B { __typename }' }],
  ['an operation that is not there', { query: 'query A { __typename }', operationName: 'B' }],
  [
    'a directive',
    { query: 'query ($is: Boolean = false) { intents { totalCount @include(if: $is) } }' },
  ],
  ['introspection', { query: '{ __schema { queryType { name } } }' }],
  [
    'a read of the past',
    { query: '{ intents(asOf: [{ chainId: 84532, block: 1 }]) { nodes { intentId } } }' },
  ],
  [
    'too large a question',
    { query: '{ intents(first: 1000) { nodes { events(first: 100) { nodes { type } } } } }' },
  ],
  [
    'too large by its variables',
    {
      query:
        'query ($n: Int) { intents(first: $n) { nodes { events(first: 100) { nodes { type } } } } }',
      variables: { n: 1_000 },
    },
  ],
  [
    'too deep',
    {
      query: `{ intents ${'{ nodes { events { nodes { intent { events { nodes { intent { solver { address } } } } } } } }'} } }`,
    },
  ],
  ['variables that are a list', { query: '{ __typename }', variables: [] }],
  ['an unknown parameter', { query: '{ __typename }', more: 1 }],
]

test.each(LEFT)('graphql-js answers instead of a plan: %s', async (_, given) => {
  const body = typeof given === 'function' ? given() : given
  expect(await quickly(body)).toBeNull()
})

test('a plan that fails halfway leaves the query to graphql-js, without an unhandled rejection', async () => {
  const unhandled: unknown[] = []
  const note = (error: unknown) => unhandled.push(error)
  process.on('unhandledRejection', note)
  const query = `{ a: intents(first: 2) { nodes { bids { nodes { amountB } } } } b: intents(after: "x") { nodes { intentId } } }`
  expect(await quickly({ query })).toBeNull()
  expect((await usually({ query })).text).toContain('INVALID_CURSOR')
  process.off('unhandledRejection', note)
  expect(unhandled).toEqual([])
})

/** All required arguments, and some optional ones. */
function argumentsOf(
  field: GraphQLField<unknown, unknown>,
  draw: (sides: number) => number,
): string {
  const written = field.args.flatMap(({ name, ...argument }) => {
    if (name === 'id') return [`id: "${ids[draw(ids.length)]}"`]
    if (name === 'hash') return [`hash: "${hash}"`]
    if (name === 'address' || name === 'solver')
      return [`${name}: "0x00000000000000000000000000000000000000aa"`]
    if (name === 'text') return ['text: "usdc"']
    if (name === 'where' && isRequiredArgument({ name, ...argument }))
      return ['where: { day: { gte: "2026-09-01", lte: "2026-09-20" } }']
    if (name === 'first' && draw(2) === 0) return [`first: ${1 + draw(4)}`]
    if (isRequiredArgument({ name, ...argument })) throw new Error(`no value for ${name}`)
    return []
  })
  return written.length === 0 ? '' : `(${written.join(', ')})`
}

function selectionOf(
  type: GraphQLObjectType,
  depth: number,
  draw: (sides: number) => number,
): string {
  const parts = Object.values(type.getFields()).flatMap((field, index) => {
    const below = getNamedType(field.type)
    // Other tests cover fields with several types.
    if (isInterfaceType(below)) return []
    const isLeaf = !isObjectType(below)
    if (draw(isLeaf ? 3 : 5) > 0 || (!isLeaf && depth === 0)) return []
    const alias = draw(4) === 0 ? `alias${index}: ` : ''
    const set = isLeaf ? '' : ` ${selectionOf(below, depth - 1, draw)}`
    return [`${alias}${field.name}${argumentsOf(field, draw)}${set}`]
  })
  const typename = parts.length === 0 || draw(5) === 0 ? ['__typename'] : []
  return `{ ${[...parts, ...typename].join(' ')} }`
}

test('a plan, if there is one, answers any query as graphql-js does', async () => {
  const root = schema.getQueryType() as GraphQLObjectType
  let planned = 0
  const property = fc.asyncProperty(fc.infiniteStream(fc.nat(59)), async (stream) => {
    const draw = (sides: number) => stream.next().value % sides
    const query = selectionOf(root, 4, draw)
    // Freezes the clock for both queries: the index's lag is in seconds.
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() })
    const quick = await quickly({ query })
    const { text } = await usually({ query })
    vi.useRealTimers()
    if (quick === null) expect(text).toContain('"errors"')
    else {
      planned += 1
      expect(quick).toBe(text)
    }
  })
  await fc.assert(property, { numRuns: 60 })
  expect(planned).toBeGreaterThan(20)
  expect(LIMITS.depth).toBeGreaterThan(5)
})
