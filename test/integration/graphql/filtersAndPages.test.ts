import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { anyFilter, type Filter } from './anyFilter.ts'
import { describeFilters } from './describeFilters.ts'
import { BASE, type GraphqlRig, HORIZEN, startGraphqlRig } from './graphqlRig.ts'

/** The query decides the page's shape. */
// biome-ignore lint/suspicious/noExplicitAny: see above
type Any = any

let rig: GraphqlRig
beforeAll(async () => {
  rig = await startGraphqlRig({ intents: 400 })
})
afterAll(() => rig?.stop())

/** Reads every page of a list, forwards by `after` or backwards by `before`. */
async function walk(field: string, args: string, node: string, size: number, backwards = false) {
  const nodes: Any[] = []
  let cursor: string | null = null
  for (;;) {
    const [count, side] = backwards ? ['last', 'before'] : ['first', 'after']
    const from = cursor === null ? '' : `${side}: "${cursor}"`
    const query = `{ list: ${field}(${count}: ${size} ${from} ${args}) { pageInfo { hasNextPage hasPreviousPage startCursor endCursor } edges { cursor node { ${node} } } } }`
    const { list }: Any = await rig.data(query)
    const page = list.edges.map((edge: Any) => edge.node)
    if (page.length > 0) {
      expect(list.pageInfo.startCursor).toBe(list.edges[0].cursor)
      expect(list.pageInfo.endCursor).toBe(list.edges.at(-1).cursor)
    }
    nodes[backwards ? 'unshift' : 'push'](...page)
    const { hasNextPage, hasPreviousPage } = list.pageInfo
    expect(backwards ? hasNextPage : hasPreviousPage).toBe(cursor !== null)
    if (!(backwards ? hasPreviousPage : hasNextPage)) return nodes
    expect(page).toHaveLength(size)
    cursor = backwards ? list.pageInfo.startCursor : list.pageInfo.endCursor
  }
}

const ORDERS = ['createdAt', 'updatedAt', 'endTime', 'amountA', 'reward', 'settledAt', 'fee']
/** Lists ordered by fields that only completed intents have are shorter. */
const countBy = (field: string) => (/^(settledAt|fee)$/.test(field) ? settledCount : 400)
let settledCount = 0

test('only completed intents have a fee and a settlement time', async () => {
  const { list } = await rig.data(
    '{ list: intents(first: 1000) { nodes { status settledAt fee } } }',
  )
  const settled = list.nodes.filter((node: Any) => node.settledAt !== null)
  expect(settled.every((node: Any) => node.fee !== null && node.status === 'completed')).toBe(true)
  settledCount = settled.length
  expect(settledCount).toBeGreaterThan(74)
  expect(settledCount).toBeLessThan(400)
})

test.each(
  ORDERS.flatMap((field) => [`${field} asc`, `${field} desc`]),
)('intents by %s: the pages in either direction make up the whole ordered list', async (order) => {
  const [field, direction] = order.split(' ')
  const args = `orderBy: { field: ${field}, direction: ${direction} }`
  const { list } = await rig.data(
    `{ list: intents(first: 1000 ${args}) { totalCount nodes { intentId ${field} } } }`,
  )
  expect(list.totalCount).toBe(countBy(field as string))
  const values: bigint[] = list.nodes.map((node: Any) => comparable(node[field as string]))
  const sorted = values.toSorted((a, b) => (a < b ? -1 : a > b ? 1 : 0))
  expect(values).toEqual(direction === 'asc' ? sorted : sorted.toReversed())
  expect(new Set(list.nodes.map((node: Any) => node.intentId)).size).toBe(list.totalCount)
  expect(await walk('intents', args, `intentId ${field}`, 37)).toEqual(list.nodes)
  expect(await walk('intents', args, `intentId ${field}`, 37, true)).toEqual(list.nodes)
})

function comparable(value: string): bigint {
  return value.includes('T') ? BigInt(Date.parse(value)) : BigInt(value)
}

const ANY_FILTER = anyFilter(
  fc.oneof(
    fc.constantFrom(BASE, HORIZEN).map(
      (chain): Filter => ({
        where: { sourceChainId: { eq: String(chain) } },
        passes: ({ sourceChainId }) => sourceChainId === String(chain),
      }),
    ),
    fc
      .uniqueArray(fc.constantFrom('pending', 'settled', 'completed', 'failed', 'expired'), {
        minLength: 1,
        maxLength: 2,
      })
      .map(
        (words): Filter => ({
          where: { status: { in: words } },
          passes: ({ status }) => words.includes(status),
        }),
      ),
    fc.constantFrom('due', 'done').map(
      (word): Filter => ({
        where: { refundStatus: { eq: word } },
        passes: ({ refund }) => refund?.status === word,
      }),
    ),
    fc.constantFrom(250, 700).map(
      (bps): Filter => ({
        where: { feeBps: { eq: bps } },
        passes: ({ feeBps }) => feeBps === bps,
      }),
    ),
    fc.nat({ max: 12 }).map(
      (digits): Filter => ({
        where: { amountA: { gte: String(10n ** BigInt(digits)) } },
        passes: ({ amountA }) => BigInt(amountA) >= 10n ** BigInt(digits),
      }),
    ),
  ),
)

test('or and not, in any combination, give each matching intent once', async () => {
  const fields = 'intentId sourceChainId status feeBps amountA refund { status }'
  const { intents } = await rig.data(`{ intents(first: 1000) { nodes { ${fields} } } }`)
  const query = `query ($where: IntentFilter, $after: String) { intents(first: 60, after: $after, where: $where) {
    totalCount pageInfo { hasNextPage endCursor } nodes { intentId } } }`
  await fc.assert(
    fc.asyncProperty(ANY_FILTER, async ({ where, passes }) => {
      const expected = intents.nodes.filter(passes).map(({ intentId }: Any) => intentId)
      const found: string[] = []
      for (let after: string | null = null; ; ) {
        const { intents: page }: Any = await rig.data(query, { where, after })
        expect(page.totalCount).toBe(expected.length)
        found.push(...page.nodes.map(({ intentId }: Any) => intentId))
        if (!page.pageInfo.hasNextPage) break
        after = page.pageInfo.endCursor
      }
      expect(found).toEqual(expected)
    }),
    { seed: 16, numRuns: 60 },
  )
})

test('search finds by id, hash, address and symbol only', async () => {
  const { intents, orders } = await rig.data(`{
    intents(first: 1, where: { status: { eq: completed } }) { nodes { intentId createTxHash solverAddress tokenA } }
    orders(first: 1) { nodes { orderId serviceId } } }`)
  const [intent] = intents.nodes
  const [order] = orders.nodes
  const found = async (text: string) => {
    const { search } = await rig.data(
      `query ($text: String!) { search(text: $text) {
      __typename id ... on Intent { intentId } ... on Order { orderId } ... on Solver { address } ... on Token { address } } }`,
      { text },
    )
    return search.map((one: Any) => [one.__typename, one.intentId ?? one.orderId ?? one.address])
  }
  expect(await found(` ${intent.intentId} `)).toEqual([['Intent', intent.intentId]])
  expect(await found(`0x${BigInt(intent.intentId).toString(16)}`)).toEqual([
    ['Intent', intent.intentId],
  ])
  expect(await found(intent.createTxHash)).toEqual([['Intent', intent.intentId]])
  expect(await found(intent.solverAddress.toLowerCase())).toEqual([
    ['Solver', intent.solverAddress],
  ])
  expect(await found(order.serviceId)).toEqual([['Order', order.orderId]])
  expect((await found(order.orderId))[0]).toEqual(['Order', order.orderId])
  expect((await found('usdc')).map(([type]: string[]) => type)).toEqual(['Token', 'Token'])
  for (const text of [
    '',
    ' ',
    'nothing',
    '0x',
    `'; drop table intent; --`,
    '\u0000',
    '9'.repeat(201),
    `0x${'f'.repeat(64)}`,
  ])
    expect([text, await found(text)]).toEqual([text, []])
})

const LISTS = [
  ['events', '', 'id', 333],
  ['events', 'where: { type: BidPlaced } orderBy: { direction: asc }', 'id', 50],
  ['solvers', '', 'address', 7],
  ['solvers', 'orderBy: { field: address, direction: asc }', 'address', 7],
  ['solvers', 'orderBy: { field: lastSeen, direction: desc }', 'address', 7],
  ['pairDays', '', 'id', 11],
  ['pairHours', '', 'hour sourceChainId tokenA tokenB', 101],
  ['solverDays', '', 'day chainId solver token', 101],
  ['pairTotals', '', 'id', 5],
  ['pairTotals', 'orderBy: { field: pair, direction: asc }', 'id', 5],
  ['routes', '', 'id', 5],
] as const

test.each(
  LISTS,
)('pages of %s(%s) have every entry once, in either direction', async (field, args, node, size) => {
  const forwards = await walk(field, args, node, size)
  const backwards = await walk(field, args, node, size, true)
  expect(forwards.length).toBeGreaterThan(size)
  expect(new Set(forwards.map((one) => JSON.stringify(one))).size).toBe(forwards.length)
  expect(backwards).toEqual(forwards)
  if (field === 'events') return
  const where = args.startsWith('where') ? `(${args})` : ''
  const { list } = await rig.data(`{ list: ${field}${where} { totalCount } }`)
  expect(list.totalCount).toBe(forwards.length)
})

test('bids and events of one intent are paged', async () => {
  const { intents } = await rig.data(
    '{ intents(first: 1, where: { status: { eq: completed } }) { nodes { intentId bidCount } } }',
  )
  const { intentId } = intents.nodes[0]
  for (const list of ['bids', 'events'] as const) {
    const whole = await rig.data(
      `{ intent(id: "${intentId}") { ${list}(first: 100) { edges { cursor node { id } } pageInfo { hasNextPage } } } }`,
    )
    const { edges, pageInfo } = whole.intent[list]
    expect(pageInfo.hasNextPage).toBe(false)
    const ids: string[] = []
    for (let after = ''; ; ) {
      const { intent } = await rig.data(
        `{ intent(id: "${intentId}") { ${list}(first: 1 ${after}) { nodes { id } pageInfo { hasNextPage endCursor } } } }`,
      )
      ids.push(...intent[list].nodes.map((node: Any) => node.id))
      if (!intent[list].pageInfo.hasNextPage) break
      after = `after: "${intent[list].pageInfo.endCursor}"`
    }
    expect(ids).toEqual(edges.map((edge: Any) => edge.node.id))
  }
})

const COLUMNS = `intentId status sourceChainId destChainId sender solverAddress bestBidder tokenA tokenB feeBps
  amountA expectedAmountB reward createdAt updatedAt endTime settledAt fee refund { status }`

/** Each filter with its meaning as a predicate. */
function filters(all: Any[]): [string, (node: Any) => boolean][] {
  const won = all.find((node) => node.solverAddress)
  const other = all.findLast(
    (node) => node.solverAddress && node.solverAddress !== won.solverAddress,
  )
  const [middle] = all.slice(200)
  const sum = [won, other].map((node) => `"${node.solverAddress.toLowerCase()}"`).join(', ')
  return [
    ['status: { eq: expired }', (node) => node.status === 'expired'],
    ['status: { in: [failed, cancelled, failed] }', (node) => /failed|cancelled/.test(node.status)],
    ['status: { in: [] }', () => false],
    ['refundStatus: { eq: due }', ({ refund }) => refund?.status === 'due'],
    ['refundStatus: { in: [waiting, done] }', ({ refund }) => /waiting|done/.test(refund?.status)],
    [
      'refundStatus: { eq: due } status: { in: [expired, completed] }',
      (node) => node.refund?.status === 'due' && node.status === 'expired',
    ],
    ['not: { refundStatus: { in: [due, done, waiting] } }', ({ refund }) => refund === null],
    ['status: { eq: failed, in: [expired, completed] }', () => false],
    ['sourceChainId: { eq: "base_sepolia" }', (node) => node.sourceChainId === '84532'],
    ['destChainId: { in: [84532, 1] }', (node) => node.destChainId === '84532'],
    [`sender: { eq: "${won.sender}" }`, (node) => node.sender === won.sender],
    [
      `solver: { in: [${sum}] }`,
      (node) => [won.solverAddress, other.solverAddress].includes(node.solverAddress),
    ],
    [`bestBidder: { eq: "${won.bestBidder}" }`, (node) => node.bestBidder === won.bestBidder],
    [
      `tokenA: { eq: "${won.tokenA}" } tokenB: { eq: "${won.tokenB}" }`,
      (node) => node.tokenA === won.tokenA && node.tokenB === won.tokenB,
    ],
    [
      'feeBps: { in: [700, 250] } status: { in: [completed, expired] }',
      (node) => node.feeBps !== null && /completed|expired/.test(node.status),
    ],
    [
      `amountA: { gt: "${middle.amountA}" }`,
      (node) => BigInt(node.amountA) > BigInt(middle.amountA),
    ],
    [
      `amountA: { gte: "${middle.amountA}", lte: "${middle.amountA}" }`,
      (node) => node.amountA === middle.amountA,
    ],
    [`reward: { lt: "${middle.reward}" }`, (node) => BigInt(node.reward) < BigInt(middle.reward)],
    [
      `expectedAmountB: { lte: "${middle.expectedAmountB}" }`,
      (node) => BigInt(node.expectedAmountB) <= BigInt(middle.expectedAmountB),
    ],
    [`createdAt: { lt: "${middle.createdAt}" }`, (node) => node.createdAt < middle.createdAt],
    [
      `updatedAt: { gte: ${Date.parse(middle.updatedAt) / 1_000} }`,
      (node) => node.updatedAt >= middle.updatedAt,
    ],
    [
      `fee: { gte: "${won.fee ?? 1}" }`,
      ({ fee }) => fee !== null && BigInt(fee) >= BigInt(won.fee ?? 1),
    ],
    [
      `settledAt: { lte: "${middle.updatedAt}" }`,
      ({ settledAt }) => settledAt !== null && settledAt <= middle.updatedAt,
    ],
    [`not: { fee: { gte: "0" } }`, ({ fee }) => fee === null],
    [`endTime: { eq: "${middle.endTime}" }`, (node) => node.endTime === middle.endTime],
    ['sender: null, amountA: { gt: null }', () => true],
  ]
}

test('every filter of intents selects and counts exactly the matching ones', async () => {
  const everything = await rig.data(`{ intents(first: 1000) { nodes { ${COLUMNS} } } }`)
  const all: Any[] = everything.intents.nodes
  expect(new Set(all.map(({ refund }) => refund?.status))).toContain('due')
  for (const [where, holds] of filters(all)) {
    const { intents } = await rig.data(
      `{ intents(first: 1000, where: { ${where} }) { totalCount nodes { intentId } } }`,
    )
    const expected = all.filter(holds).map((node) => node.intentId)
    expect(
      intents.nodes.map((node: Any) => node.intentId),
      where,
    ).toEqual(expected)
    expect(intents.totalCount, where).toBe(expected.length)
  }
})

test('events can be filtered by type, chain, intent, sender, transaction and time', async () => {
  const all: Any[] = await walk(
    'events',
    '',
    'id type chainId intentId transactionHash blockTimestamp intent { sender }',
    1_000,
  )
  const [, , settled] = all.filter((event) => event.type === 'IntentSettled')
  const cases: [string, (event: Any) => boolean][] = [
    ['type: IntentSettled', (event) => event.type === 'IntentSettled'],
    [
      'typeIn: [IntentSettled, BidPlaced, BidPlaced]',
      (event) => /^(IntentSettled|BidPlaced)$/.test(event.type),
    ],
    ['type: IntentSettled, typeIn: [BidPlaced]', () => false],
    ['typeIn: []', () => false],
    ['chainIdIn: ["base_sepolia", 1]', (event) => event.chainId === '84532'],
    [
      `sender: "${settled.intent.sender}"`,
      (event) => event.intent?.sender === settled.intent.sender,
    ],
    [
      `sender: "${settled.intent.sender}", typeIn: [IntentSettled, IntentSolved]`,
      (event) =>
        event.intent?.sender === settled.intent.sender && /^IntentS\w+ed$/.test(event.type),
    ],
    ['chainId: "horizen_testnet"', (event) => event.chainId === '2651420'],
    [`intentId: "${settled.intentId}"`, (event) => event.intentId === settled.intentId],
    [
      `transactionHash: "${settled.transactionHash}"`,
      (event) => event.transactionHash === settled.transactionHash,
    ],
    [
      `blockTimestamp: { gt: "${settled.blockTimestamp}" }`,
      (event) => event.blockTimestamp > settled.blockTimestamp,
    ],
  ]
  for (const [where, holds] of cases) {
    const found = await walk('events', `where: { ${where} }`, 'id', 1_000)
    expect(
      found.map(({ id }) => id),
      where,
    ).toEqual(all.filter(holds).map(({ id }) => id))
  }
})

test('an in filter accepts at most 20 values', async () => {
  const many = Array.from({ length: 21 }, (_, at) => at + 1).join(', ')
  for (const query of [
    `{ events(where: { chainIdIn: [${many}] }) { nodes { id } } }`,
    `{ orders(where: { chainIdIn: [${many}] }) { nodes { id } } }`,
  ]) {
    const { errors } = await rig.ask(query)
    expect(errors?.[0]).toMatchObject({ message: 'chainIdIn takes at most 20 values' })
  }
})

describeFilters(() => rig)
