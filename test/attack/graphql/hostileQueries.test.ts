import { getIntrospectionQuery } from 'graphql'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { encodeCursor } from '../../../services/store/database/paginationCursor.ts'
import {
  answerOf,
  type GraphqlRig,
  post,
  startGraphqlRig,
} from '../../integration/graphql/graphqlRig.ts'

let rig: GraphqlRig
beforeAll(async () => {
  rig = await startGraphqlRig({ intents: 60, statementTimeoutMs: 1_000 })
  await rig.data('{ _meta { isReady } }')
  rig.takeStatements()
})
/** Nothing a client sends causes an internal error. */
afterEach(() => expect(rig.problems).toEqual([]))
afterAll(() => rig?.stop())

/** The code a query is refused with. A refused query must not reach the database. */
async function refusalOf(query: string, variables: object = {}): Promise<unknown> {
  rig.takeStatements()
  const { status, errors, data } = await rig.ask(query, variables)
  expect(data).toBeNull()
  expect(rig.takeStatements()).toEqual([])
  expect(status).toBeLessThan(500)
  return errors[0]?.extensions.code
}

const repeat = (count: number, of: (i: number) => string) =>
  Array.from({ length: count }, (_, i) => of(i)).join(' ')

test('GraphQL refuses deep queries', async () => {
  const cycle = (times: number): string =>
    times === 0 ? 'status' : `events { nodes { intent { ${cycle(times - 1)} } } }`
  expect(await refusalOf(`{ intents { nodes { ${cycle(2)} } } }`)).toBe('QUERY_TOO_DEEP')
  expect(await refusalOf(`{ intents { nodes { ${cycle(30)} } } }`)).toBe('QUERY_TOO_DEEP')
  const fragments = `fragment A on Intent { events { nodes { intent { ...B } } } }
    fragment B on Intent { events { nodes { intent { status } } } } { intents { nodes { ...A } } }`
  expect(await refusalOf(fragments)).toBe('QUERY_TOO_DEEP')
})

test('GraphQL refuses many aliases, also in fragments and in introspection', async () => {
  const roots = repeat(31, (i) => `a${i}: intents { totalCount }`)
  expect(await refusalOf(`{ ${roots} }`)).toBe('TOO_MANY_ALIASES')
  const fragment = `fragment F on Intent { ${repeat(6, (i) => `b${i}: events { nodes { type } }`)} }`
  const spread = repeat(6, (i) => `c${i}: intent(id: 1) { ...F }`)
  expect(await refusalOf(`${fragment} { ${spread} }`)).toBe('TOO_MANY_ALIASES')
  expect(await refusalOf('{ a: __schema { types { name } } }')).toBe('TOO_MANY_ALIASES')
  expect(await refusalOf('{ __schema { a: types { name } } }')).toBe('TOO_MANY_ALIASES')
})

test('GraphQL refuses long queries and floods of fields or directives', async () => {
  expect(await refusalOf(`{ ${repeat(1_001, () => '__typename')} }`)).toBe('TOO_MANY_TOKENS')
  expect(await refusalOf(`{ intents { totalCount ${repeat(400, () => '@x')} @skip } }`)).toMatch(
    /GRAPHQL_|TOO_MANY_TOKENS/,
  )
  expect(await refusalOf(`{ __typename ${repeat(600, () => '@skip(if: false)')} }`)).toBe(
    'TOO_MANY_TOKENS',
  )
  expect(await refusalOf(`{ __typename } # ${'x'.repeat(40_000)}`)).toBe('TOO_MANY_TOKENS')
})

test('GraphQL refuses fragments that expand to millions of fields or contain themselves', async () => {
  const bomb = repeat(
    40,
    (i) => `fragment F${i} on Query { ...F${i + 1} ...F${i + 1} ... { ...F${i + 1} } }`,
  )
  const begun = performance.now()
  expect(await refusalOf(`${bomb} fragment F40 on Query { __typename } { ...F0 }`)).toBe(
    'TOO_MANY_FIELDS',
  )
  // Expanding all of them would never end.
  expect(performance.now() - begun).toBeLessThan(20_000)
  const circle = 'fragment A on Query { ...B } fragment B on Query { ...A } { ...A }'
  expect(await refusalOf(circle)).toBe('GRAPHQL_VALIDATION_FAILED')
})

test('a variable of thousands of values is refused before any of them is coerced', async () => {
  const query = 'query ($where: IntentFilter) { intents(where: $where) { totalCount } }'
  const many = <Value>(value: Value) => Array.from({ length: 1_000 }, () => value)
  for (const variables of [
    { where: { or: many({}) } },
    { where: { status: { in: many(1) } } },
    { where: Object.fromEntries(many(0).entries()) },
    { where: {}, unread: many(1) },
  ]) {
    const { status, errors } = await rig.ask(query, variables)
    expect([status, errors[0]?.message]).toEqual([400, 'variables hold at most 1000 values'])
    expect(await rig.graphql.planned(JSON.stringify({ query, variables }), 'test')).toBe(null)
  }
})

test('the cost limit counts the entries of nested pages', async () => {
  const nested = (first: string) =>
    `query ($n: Int) { intents(first: ${first}) { nodes { bids(first: 100) { nodes { amountB } } } } }`
  expect(await refusalOf(nested('1000').replace('($n: Int)', ''))).toBe('QUERY_TOO_COSTLY')
  expect(await refusalOf(nested('$n'), { n: 1_000 })).toBe('QUERY_TOO_COSTLY')
  expect(await refusalOf(nested('$n').replace('$n: Int', '$n: Int = 1000'))).toBe(
    'QUERY_TOO_COSTLY',
  )
  const lists = repeat(26, (i) => `a${i}: intents(first: 1000) { nodes { timeline { type } } }`)
  expect(await refusalOf(`{ ${lists} }`)).toBe('QUERY_TOO_COSTLY')
  const inEdges =
    '{ intents(first: 1000) { edges { node { events(first: 100) { edges { node { type } } } } } } }'
  expect(await refusalOf(inEdges)).toBe('QUERY_TOO_COSTLY')
})

test.each([0, -1, 1_001, 2 ** 31 - 1])('GraphQL refuses a page of %d entries', async (size) => {
  expect(await refusalOf(`{ intents(first: ${size}) { totalCount } }`)).toBe('BAD_USER_INPUT')
  expect(await refusalOf(`{ solvers(last: ${size}) { totalCount } }`)).toBe('BAD_USER_INPUT')
})

test('GraphQL refuses page sizes that aren’t integers, and first together with last', async () => {
  for (const size of ['1e3', '2147483648', '"5"', '1.5', '[1]']) {
    expect(await refusalOf(`{ intents(first: ${size}) { totalCount } }`), size).toMatch(
      /GRAPHQL_VALIDATION_FAILED|BAD_USER_INPUT/,
    )
  }
  expect(await refusalOf('{ intents(first: 1, last: 1) { totalCount } }')).toBe('BAD_USER_INPUT')
})

test('nested pages have a lower maximum size', async () => {
  const { intents } = await rig.data('{ intents(first: 1) { nodes { intentId } } }')
  const [{ intentId }] = intents.nodes
  for (const size of [0, -5, 101]) {
    const { errors } = await rig.ask(
      `{ intent(id: "${intentId}") { bids(first: ${size}) { nodes { id } } } }`,
    )
    expect(errors[0]?.extensions.code).toBe('BAD_USER_INPUT')
  }
})

/** A cursor with a valid checksum. */
const forged = (list: string, text: string) => encodeCursor(list, [text])
const ofIntents = (text: string) => forged('intents createdAt desc', text)

test.each([
  ['text', 'not a cursor'],
  ['nothing', ''],
  ['another list', forged('solvers bids', '1 0xaa')],
  ['another order', forged('intents amountA desc', '1 1 1')],
  ['SQL', ofIntents('1;drop 1 1')],
  ['too few values', ofIntents('1')],
  ['numbers too large', ofIntents(`${'9'.repeat(30)} 1 1`)],
  ['not numbers', ofIntents('NaN Infinity -')],
  ['a long text', 'A'.repeat(20_000)],
  ['zero bytes', ofIntents('\u0000 1 1')],
])('GraphQL refuses a cursor of %s', async (_, cursor) => {
  const query = 'query ($c: String) { intents(after: $c) { nodes { intentId } } }'
  expect(await refusalOf(query, { c: cursor })).toBe('INVALID_CURSOR')
})

test('GraphQL answers valid cursors that match no row with a page, not an error', async () => {
  const nines = '9'.repeat(15)
  for (const [list, cursor] of [
    ['intents', ofIntents(`-${nines} ${'9'.repeat(78)} ${nines}`)],
    ['intents', ofIntents(`${nines} -${'9'.repeat(78)} -${nines}`)],
    ['events', forged('events', `${nines} -${nines} ${nines} ${nines}`)],
    ['pairDays', forged('pairDays', `-${nines} ${nines} 1 0xaa 0xbb`)],
    ['pairHours', forged('pairHours', `-${nines} ${nines} 1 0xaa 0xbb`)],
    ['solverDays', forged('solverDays', `${nines} -${nines} 0xaa 0xbb`)],
    ['routes', forged('routes', `${nines} 1 0xff 0x00`)],
  ] as const) {
    for (const side of ['after', 'before']) {
      const page = await rig.data(`{ ${list}(${side}: "${cursor}") { pageInfo { hasNextPage } } }`)
      expect(page[list].pageInfo.hasNextPage, `${list} ${side}`).toEqual(expect.any(Boolean))
    }
  }
})

const INJECTIONS = [
  `'; drop schema cairn cascade; --`,
  `" or 1=1 --`,
  '0x00; select pg_sleep(10)',
  '\u0000',
  '$1',
  `0x${'g'.repeat(40)}`,
  `0x${'a'.repeat(65)}`,
  '1 or 1=1',
  '9'.repeat(100),
  '١٢٣',
]

test.each(INJECTIONS)('GraphQL refuses %j as a filter value', async (value) => {
  for (const [type, filter] of [
    ['Address', 'intents(where: { sender: { in: [$v] } }) { totalCount }'],
    ['ChainId', 'intents(where: { sourceChainId: { eq: $v } }) { totalCount }'],
    ['BigInt', 'intents(where: { amountA: { gt: $v } }) { totalCount }'],
    ['DateTime', 'events(where: { blockTimestamp: { lt: $v } }) { nodes { id } }'],
    ['Date', 'pairDays(where: { day: { eq: $v } }) { totalCount }'],
    ['Date', 'solverDays(where: { day: { eq: $v } }) { totalCount }'],
    ['DateTime', 'chainPeriods(by: hour, start: { gte: $v }) { chainId }'],
    ['Hex', 'intentsByTransaction(hash: $v) { intentId }'],
    ['IntentStatus', 'intents(where: { status: { eq: $v } }) { totalCount }'],
  ] as const) {
    expect(await refusalOf(`query ($v: ${type}!) { ${filter} }`, { v: value }), type).toBe(
      'BAD_USER_INPUT',
    )
  }
  expect((await rig.client.query('select count(*) from cairn.intent')).rows[0].count).toBe('60')
})

test('filters accept the largest and smallest value of each type', async () => {
  const huge = '9'.repeat(78)
  await rig.data(
    `{ intents(where: { amountA: { gt: "-${huge}", lt: "${huge}" } }) { totalCount } }`,
  )
  await rig.data(`{ intents(where: { amountA: { gt: "${huge}" } }) { totalCount } }`)
  await rig.data(`{ intent(id: "${huge}") { status } a: intent(id: "-1") { status } }`)
  await rig.data(`{ intents(where: { sourceChainId: { eq: "9007199254740991" } }) { totalCount } }`)
  await rig.data(`{ intents(where: { createdAt: { gt: 999999999999 } }) { totalCount } }`)
  await rig.data(`{ pairDays(where: { day: { lte: "9999-12-31" } }) { totalCount } }`)
  await rig.data(`{ pairHours(where: { hour: { gt: 999999999999 } }) { totalCount } }`)
  await rig.data(`{ chainPeriods(start: { lt: 999999999999 }) { start } }`)
})

test('GraphQL refuses filters with too many combinations', async () => {
  const list = (count: number) =>
    `[${repeat(count, (i) => `"0x${i.toString(16).padStart(40, '0')}"`)}]`
  const where = (text: string) => refusalOf(`{ intents(where: { ${text} }) { totalCount } }`)
  expect(await where(`sender: { in: ${list(21)} }`)).toBe('BAD_USER_INPUT')
  expect(await where(`sender: { in: ${list(10)} } solver: { in: ${list(7)} }`)).toBe(
    'BAD_USER_INPUT',
  )
  expect(await where(`sender: { in: ${list(20)} } status: { in: [pending, expired] }`)).toBe(
    'BAD_USER_INPUT',
  )
})

test('GraphQL refuses too many or too deeply nested or and not filters', async () => {
  const where = (text: string) => refusalOf(`{ intents(where: { ${text} }) { totalCount } }`)
  const sender = (i: number) => `{ sender: { eq: "0x${i.toString(16).padStart(40, '0')}" } }`
  expect(await where(`or: [${repeat(11, sender)}]`)).toBe('BAD_USER_INPUT')
  expect(await where(`not: { not: { not: { not: { feeBps: { eq: 250 } } } } }`)).toBe(
    'BAD_USER_INPUT',
  )
  const several = `{ sender: { in: [${repeat(20, (i) => `"0x${i.toString(16).padStart(40, '0')}"`)}] } }`
  expect(await where(`or: [${repeat(10, () => several)}]`)).toBe('BAD_USER_INPUT')
  expect(await where(`not: { or: [${several}, ${several}, ${several}, ${several}] }`)).toBe(
    'BAD_USER_INPUT',
  )
  const anyStatus = '{ status: { in: [pending, solving, settled, failed, expired] } }'
  expect(await where(`${anyStatus.slice(2, -2)} or: [${repeat(9, sender)}]`)).toBe('BAD_USER_INPUT')
  // A document can't nest as deep as a variable.
  const query = 'query ($where: IntentFilter) { intents(where: $where) { totalCount } }'
  for (const depth of [4, 100, 3_000, 7_000]) {
    const deep = `${'{"not":'.repeat(depth)}{}${'}'.repeat(depth)}`
    const body = `{"query":${JSON.stringify(query)},"variables":{"where":${deep}}}`
    const headers = { 'content-type': 'application/json' }
    const request = new Request('http://cairn.test/graphql', { method: 'POST', headers, body })
    const { errors, status } = await answerOf(await rig.graphql.handle(request, 'test'))
    expect([depth, errors[0]?.extensions.code, status < 500]).toEqual([
      depth,
      'BAD_USER_INPUT',
      true,
    ])
  }
  expect(
    await refusalOf(
      `{ intents(where: { not: { not: { not: { not: {} } } } }, asOf: [{ chainId: 84532, block: 2000 }]) { nodes { intentId } } }`,
    ),
  ).toBe('BAD_USER_INPUT')
  expect(rig.problems).toEqual([])
})

test('GraphQL refuses a request with several operations', async () => {
  const one = { query: '{ __typename }' }
  for (const body of [[one], [one, one], []]) {
    const { status, errors } = await post(rig.graphql, body)
    expect(status).toBe(400)
    expect(errors[0]?.extensions.code).toBe('BAD_REQUEST')
  }
})

test('GraphQL refuses bodies and methods of other protocols', async () => {
  const send = (init: RequestInit, search = '') =>
    rig.graphql.handle(new Request(`http://cairn.test/graphql${search}`, init), 'attacker')
  const json = { 'content-type': 'application/json' }
  for (const body of [
    '',
    '{',
    'null',
    '"x"',
    '{"query":1}',
    '{"query":"{ __typename }","variables":"x"}',
  ]) {
    const { status } = await send({ method: 'POST', headers: json, body })
    expect(status, body).toBe(400)
  }
  const form = new FormData()
  form.set('operations', '{"query":"{ __typename }"}')
  expect((await send({ method: 'POST', body: form })).status).toBe(415)
  const mutation = encodeURIComponent('mutation { intents { totalCount } }')
  expect((await send({ method: 'GET' }, `?query=${mutation}`)).status).toBeGreaterThanOrEqual(400)
  expect((await send({ method: 'PUT', headers: json, body: '{}' })).status).toBeGreaterThanOrEqual(
    400,
  )
  const large = JSON.stringify({ query: '{ __typename }', padding: 'x'.repeat(70_000) })
  expect((await send({ method: 'POST', headers: json, body: large })).status).toBe(413)
  expect(rig.takeStatements()).toEqual([])
})

test('introspection works within the limits', async () => {
  for (const options of [
    {},
    {
      descriptions: true,
      inputValueDeprecation: true,
      directiveIsRepeatable: true,
      specifiedByUrl: true,
      schemaDescription: true,
    },
  ]) {
    const { errors, data } = await rig.ask(getIntrospectionQuery(options))
    expect(errors).toEqual([])
    expect(data.__schema.types.length).toBeGreaterThan(40)
  }
  const loop = (times: number): string =>
    times === 0 ? 'name' : `fields { type { ${loop(times - 1)} } }`
  expect(await refusalOf(`{ __schema { types { ${loop(5)} } } }`)).toBe('GRAPHQL_VALIDATION_FAILED')
  expect(await refusalOf(`{ __type(name: "Intent") { ${loop(12)} } }`)).toBe('QUERY_TOO_DEEP')
  // An alias that looks like introspection avoids no limit.
  const disguised = `{ __schema: intents { nodes { events { nodes { intent { events { nodes { intent { status } } } } } } } } }`
  expect(await refusalOf(disguised)).toBe('QUERY_TOO_DEEP')
})

test('an internal error shows its code and nothing else', async () => {
  await rig.client.query(`alter view cairn.escrow rename to hidden`)
  await rig.client.query(
    `create view cairn.escrow as select 1 / 0 as chain_id, '0x' as token, 0 as open, 0 as stakes, 0 as credits, 0 as delivery_credits, 0 as fees`,
  )
  const { errors, status } = await rig.ask('{ escrow { total } }')
  expect(status).toBe(200)
  expect(errors).toHaveLength(1)
  expect(errors[0]?.extensions).toEqual({ code: 'INTERNAL_ERROR' })
  expect(JSON.stringify(errors)).not.toMatch(/division|select|cairn|node_modules|\.ts/)
  expect(rig.problems.splice(0).map(String).join()).toContain('division by zero')
  await rig.client.query('drop view cairn.escrow')
  await rig.client.query('alter view cairn.hidden rename to escrow')
})

test('a slow statement ends with the code QUERY_TIMEOUT', async () => {
  await rig.client.query('begin')
  await rig.client.query('lock table cairn_84532_seeded.pair_day in access exclusive mode')
  const { errors, status, headers } = await rig.ask('{ pairDays { nodes { id } } }')
  await rig.client.query('rollback')
  expect(status).toBe(503)
  expect(headers.get('retry-after')).toBe('2')
  expect(errors[0]?.extensions.code).toBe('QUERY_TIMEOUT')
})

test('GraphQL refuses GET without a query and says what to send', async () => {
  const response = await rig.graphql.handle(
    new Request('http://cairn.test/graphql', {
      headers: { accept: 'application/graphql-response+json' },
    }),
    'attacker',
  )
  const { status, errors } = await answerOf(response)
  expect([status, errors[0]?.extensions.code]).toEqual([400, 'BAD_REQUEST'])
})
