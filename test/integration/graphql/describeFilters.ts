import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { accountOf } from '../../../tools/seed/seedSqlFunctions.ts'
import { anyFilter, type Filter } from './anyFilter.ts'
import type { GraphqlRig } from './graphqlRig.ts'

/** The query decides the answer's shape. */
// biome-ignore lint/suspicious/noExplicitAny: see above
type Any = any

type List = {
  name: string
  input: string
  /** Required arguments of the list. */
  args?: string
  /** Fields that identify entries, and those that filters compare. */
  fields: string
  /** Reads the value of an entry that the filter's field of that name compares. */
  equal: Record<string, (entry: Any) => unknown>
  /** Fields that filters compare with gte and lt. */
  ranges: Record<string, (entry: Any) => string>
  isCounted: boolean
}

const SOLVER = accountOf('solver', 1)

const same = (name: string) => [name, (entry: Any) => entry[name]] as const
const PAIR = Object.fromEntries(['sourceChainId', 'destChainId', 'tokenA', 'tokenB'].map(same))
const PAIR_FIELDS = 'sourceChainId destChainId tokenA tokenB'

const LISTS: List[] = [
  {
    name: 'events',
    input: 'EventFilter',
    fields: 'id type chainId intentId transactionHash blockTimestamp intent { sender }',
    equal: {
      ...Object.fromEntries(['type', 'chainId', 'intentId', 'transactionHash'].map(same)),
      sender: ({ intent }) => intent?.sender,
    },
    ranges: { blockTimestamp: ({ blockTimestamp }) => blockTimestamp },
    isCounted: false,
  },
  {
    name: 'orders',
    input: 'OrderFilter',
    fields: 'id owner chainId destChainId tokenA tokenB status',
    equal: Object.fromEntries(
      ['owner', 'chainId', 'destChainId', 'tokenA', 'tokenB', 'status'].map(same),
    ),
    ranges: {},
    isCounted: true,
  },
  {
    name: 'pairDays',
    input: 'PairDayFilter',
    fields: `id ${PAIR_FIELDS} day`,
    equal: PAIR,
    ranges: { day: ({ day }) => day },
    isCounted: true,
  },
  {
    name: 'pairHours',
    input: 'PairHourFilter',
    fields: `hour ${PAIR_FIELDS}`,
    equal: PAIR,
    ranges: { hour: ({ hour }) => hour },
    isCounted: true,
  },
  {
    name: 'routes',
    input: 'RouteFilter',
    fields: `id ${PAIR_FIELDS}`,
    equal: PAIR,
    ranges: {},
    isCounted: true,
  },
  {
    name: 'solverDays',
    input: 'SolverDayFilter',
    fields: 'day chainId solver token',
    equal: Object.fromEntries(['solver', 'chainId', 'token'].map(same)),
    ranges: { day: ({ day }) => day },
    isCounted: true,
  },
  {
    name: 'bids',
    input: 'BidFilter',
    args: `solver: "${SOLVER}"`,
    fields: 'id solverAddress sourceChainId amountB bidAt',
    equal: Object.fromEntries(['sourceChainId'].map(same)),
    ranges: { bidAt: ({ bidAt }) => bidAt },
    isCounted: false,
  },
  {
    name: 'deliveries',
    input: 'DeliveryFilter',
    args: `solver: "${SOLVER}"`,
    fields: 'destChainId chain2IntentId solverAddress sourceChainId tokenB solvedAt',
    equal: Object.fromEntries(['sourceChainId', 'destChainId', 'tokenB'].map(same)),
    ranges: { solvedAt: ({ solvedAt }) => solvedAt },
    isCounted: false,
  },
]

/** Filters for values that occur in the list's entries: equality, one of several, a range. */
function toStoreFilters({ equal, ranges }: List, entries: readonly Any[]): fc.Arbitrary<Filter> {
  const valuesOf = (read: (entry: Any) => unknown) => [
    ...new Set(entries.map(read).filter((value): value is string => typeof value === 'string')),
  ]
  const equals = Object.entries(equal).flatMap(([name, read]) => {
    const values = valuesOf(read)
    const one = fc.constantFrom(...values).map(
      (value): Filter => ({
        where: { [name]: value },
        passes: (entry) => read(entry) === value,
      }),
    )
    const several = fc.uniqueArray(fc.constantFrom(...values), { maxLength: 3 }).map(
      (some): Filter => ({
        where: { [`${name}In`]: some },
        passes: (entry) => some.includes(read(entry) as string),
      }),
    )
    return [one, several]
  })
  const within = Object.entries(ranges).map(([name, read]) =>
    fc.tuple(fc.constantFrom(...valuesOf(read)), fc.constantFrom('gte', 'lt')).map(
      ([edge, way]): Filter => ({
        where: { [name]: { [way]: edge } },
        passes: (entry) => read(entry) >= edge === (way === 'gte'),
      }),
    ),
  )
  return fc.oneof(...equals, ...within)
}

/** `or`, `not` and `in` in the filters of every list except intents. */
export function describeFilters(rigOf: () => GraphqlRig): void {
  const all = async (
    { name, input, args = '', fields, isCounted }: List,
    where?: Any,
  ): Promise<Any[]> => {
    const query = `query ($where: ${input}, $after: String) { list: ${name}(${args} first: 1000, after: $after, where: $where) {
      ${isCounted ? 'totalCount' : ''} pageInfo { hasNextPage endCursor } nodes { ${fields} } } }`
    const nodes: Any[] = []
    for (let after: string | null = null; ; ) {
      const { list }: Any = await rigOf().data(query, { where, after })
      nodes.push(...list.nodes)
      if (list.pageInfo.hasNextPage) after = list.pageInfo.endCursor
      else {
        if (isCounted) expect(list.totalCount).toBe(nodes.length)
        return nodes
      }
    }
  }

  describe('filters', () => {
    test.each(
      LISTS,
    )('filters of $name with or, not and in give each matching entry once', async (list) => {
      const entries = await all(list)
      expect(entries.length).toBeGreaterThan(3)
      let passed = 0
      await fc.assert(
        fc.asyncProperty(anyFilter(toStoreFilters(list, entries)), async ({ where, passes }) => {
          const expected = entries.filter(passes)
          passed += expected.length
          expect(await all(list, where)).toEqual(expected)
        }),
        { seed: 16, numRuns: 25 },
      )
      expect(passed).toBeGreaterThan(0)
    })

    test('a solver’s bids and deliveries are all its own, and lead to their intents', async () => {
      const rig = rigOf()
      const { solver, bids, deliveries, won } = await rig.data(`{
        solver(address: "${SOLVER}") { bids wins deliveries }
        bids(solver: "${SOLVER}", first: 400) { nodes { id bidIndex amountB amountBDecimal intentId bidTxHash
          intent { intentId bids(first: 100) { nodes { id bidIndex amountB } } } } }
        deliveries(solver: "${SOLVER}", first: 1000) { nodes { intentId solveTxHash isValid amountB
          intent { intentId solverAddress delivery { solveTxHash isValid amountB } } } }
        won: intents(first: 1000, where: { solver: { eq: "${SOLVER}" } }) { totalCount } }`)
      const counts = [bids.nodes.length, won.totalCount, deliveries.nodes.length]
      expect([solver.bids, solver.wins, solver.deliveries]).toEqual(counts)
      for (const { intent, intentId, id, bidIndex, amountB } of bids.nodes) {
        expect(intent.intentId).toBe(intentId)
        expect(intent.bids.nodes).toContainEqual({ id, bidIndex, amountB })
      }
      // One of a winner's deliveries for an intent counts; it is valid if any is.
      for (const { intent, isValid, solveTxHash, amountB } of deliveries.nodes)
        if (isValid) expect(intent.delivery).toEqual({ isValid, solveTxHash, amountB })
      expect(deliveries.nodes.some(({ isValid }: Any) => isValid)).toBe(true)
      const pages: string[] = []
      for (let before = ''; ; ) {
        const { bids: page } = await rig.data(
          `{ bids(solver: "${SOLVER}", last: 3 ${before}) { nodes { id } pageInfo { hasPreviousPage startCursor } } }`,
        )
        pages.unshift(...page.nodes.map(({ id }: Any) => id))
        if (!page.pageInfo.hasPreviousPage) break
        before = `before: "${page.pageInfo.startCursor}"`
      }
      expect(pages).toEqual(bids.nodes.map(({ id }: Any) => id))
    })

    test('sums cover the filtered intents, and a pair’s total is found by its id', async () => {
      const rig = rigOf()
      const { pairDays } = await rig.data(
        `{ pairDays(first: 1000) { nodes { day ${PAIR_FIELDS} created completed completionTimes { count } } } }`,
      )
      const days = [...new Set<string>(pairDays.nodes.map(({ day }: Any) => day))].sort()
      const [early, late, left] = [days[1], days[days.length - 2], days[days.length >> 1]]
      const where = {
        or: [{ day: { lte: early } }, { day: { gte: late } }, { sourceChainIdIn: ['84532'] }],
        not: { day: { eq: left } },
      }
      const passes = ({ day, sourceChainId }: Any) =>
        (day <= early! || day >= late! || sourceChainId === '84532') && day !== left
      const passing = pairDays.nodes.filter(passes)
      expect(passing.length).toBeLessThan(pairDays.nodes.length)
      const total = `id ${PAIR_FIELDS} created completed completionTimes { count }`
      const { pairTotals, chainTotals, dayTotals } = await rig.data(
        `query ($where: PairDayFilter) { pairTotals(first: 1000, where: $where) { totalCount nodes { ${total} } }
          chainTotals(where: $where) { chainId created } dayTotals(where: $where) { day created } }`,
        { where },
      )
      const sum = (rows: Any[], field: string) => rows.reduce((all, row) => all + row[field], 0)
      const expected = sum(passing, 'created')
      expect(
        [pairTotals.nodes, chainTotals, dayTotals].map((rows) => sum(rows, 'created')),
      ).toEqual([expected, expected, expected])
      expect(pairTotals.totalCount).toBe(pairTotals.nodes.length)
      for (const node of pairTotals.nodes) {
        expect(node.completionTimes.count).toBe(node.completed)
        const again = await rig.data(
          `query ($id: ID!) { node(id: $id) { ... on PairTotal { ${total} } } }`,
          { id: node.id },
        )
        expect(again.node).toEqual(node)
      }
    })

    test('senders are counted over a range of days, excluding what or and not exclude', async () => {
      const rig = rigOf()
      const { rows } = await rig.client.query(
        `select min(created_at)::int as first, max(created_at)::int as last from cairn.intent`,
      )
      const day = (at: number) => new Date(at * 1_000).toISOString().slice(0, 10)
      const range = { gte: day(rows[0].last - 80 * 86_400), lte: day(rows[0].last) }
      const { rows: counted } = await rig.client.query(
        `select count(distinct sender)::int as senders from cairn.intent
         where created_at >= extract(epoch from $1::timestamptz) and source_chain_id <> 84532`,
        [`${range.gte}T00:00:00Z`],
      )
      const query = 'query ($where: PairDayFilter!) { senderCount(where: $where) }'
      for (const rest of [{ not: { sourceChainId: '84532' } }, { sourceChainIdIn: ['2651420'] }])
        expect(await rig.data(query, { where: { day: range, ...rest } })).toEqual({
          senderCount: counted[0].senders,
        })
      const open = await rig.ask(query, { where: { or: [{ day: range }] } })
      expect(open.errors[0]?.extensions.code).toBe('BAD_USER_INPUT')
    })

    const deep = (levels: number): object => (levels === 0 ? {} : { not: deep(levels - 1) })
    const many = (count: number, one: object) => Array.from({ length: count }, () => one)
    test.each([
      ['nested too deep', deep(4)],
      ['too many alternatives', { or: many(11, {}) }],
      ['too many combinations', { or: many(10, { or: many(10, {}) }) }],
      ['too much left out', { or: many(9, { or: many(7, { chainIdIn: ['1'] }) }) }],
      ['too long a list', { chainIdIn: many(21, '1' as never) }],
    ])('a filter with %s is refused', async (_, where) => {
      for (const [name, input] of [
        ['events', 'EventFilter'],
        ['orders', 'OrderFilter'],
      ]) {
        const { errors } = await rigOf().ask(
          `query ($where: ${input}) { ${name}(where: $where) { nodes { id } } }`,
          { where },
        )
        expect(errors.map(({ extensions }) => extensions.code)).toEqual(['BAD_USER_INPUT'])
      }
    })
  })
}
