import fc from 'fast-check'
import { expect, test } from 'vitest'
import { toDayRanges } from '../../../api/graphql/filters/toDayRanges.ts'
import { toStoreFilters } from '../../../api/graphql/filters/toStoreFilters.ts'
import type { PairDayFilter } from '../../../services/store/pairs/pairFilter.ts'

const PAIR = { sourceChainId: 1, destChainId: 2, tokenA: '0xa', tokenB: '0xb' } as const

/** What a filter says of days, read word by word. */
type Where = {
  sourceChainIdIn?: number[]
  day?: { gte?: number; lte?: number }
  or?: Where[]
  not?: Where
}
function passes(where: Where, day: number): boolean {
  const { sourceChainIdIn: chains, day: { gte = -Infinity, lte = Infinity } = {} } = where
  return (
    (chains?.includes(1) ?? true) &&
    day >= gte &&
    day <= lte &&
    (where.or?.some((one) => passes(one, day)) ?? true) &&
    !(where.not && passes(where.not, day))
  )
}

const optional = <Value>(of: fc.Arbitrary<Value>) => fc.option(of, { nil: undefined })
const own = fc.record(
  {
    sourceChainIdIn: fc.subarray([1, 2]),
    day: fc.record(
      { gte: fc.integer({ min: 1, max: 20 }), lte: fc.integer({ min: 1, max: 20 }) },
      { requiredKeys: [] },
    ),
  },
  { requiredKeys: [] },
)
const nested = (inner: fc.Arbitrary<object>) =>
  fc
    .record({ own, or: optional(fc.array(inner, { maxLength: 3 })), not: optional(inner) })
    .map(({ own: mine, or, not }) => ({ ...mine, ...(or && { or }), ...(not && { not }) }) as Where)

test('a pair’s days are those that its filter lets pass, as ranges that don’t touch', () => {
  fc.assert(
    fc.property(nested(nested(own)), (where) => {
      const ranges = toDayRanges(PAIR, toStoreFilters<PairDayFilter>(where))
      for (let day = 0; day <= 22; day++) {
        const isIn = ranges.some(({ from = -Infinity, to = Infinity }) => day >= from && day <= to)
        expect([day, isIn]).toEqual([day, passes(where, day)])
      }
      for (const [index, { from }] of ranges.entries())
        if (index > 0) expect(from).toBeGreaterThan((ranges[index - 1]?.to ?? Infinity) + 1)
    }),
    { seed: 16, numRuns: 300 },
  )
})
