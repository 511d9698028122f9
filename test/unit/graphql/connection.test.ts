import fc from 'fast-check'
import { expect, test } from 'vitest'
import { toIntentFilters } from '../../../api/graphql/filters/toIntentFilters.ts'
import { toRange } from '../../../api/graphql/filters/toRange.ts'
import { buildConnection } from '../../../api/graphql/pagination/buildConnection.ts'
import { parsePageArguments } from '../../../api/graphql/pagination/parsePageArguments.ts'
import { decodeCursor, encodeCursor } from '../../../services/store/database/paginationCursor.ts'

test('a cursor gives back what was put in, to its own list only', () => {
  fc.assert(
    fc.property(
      fc.bigInt({ min: -(10n ** 78n) + 1n, max: 10n ** 78n - 1n }),
      fc.integer({ min: -(10 ** 15) + 1, max: 10 ** 15 - 1 }),
      (amount, moment) => {
        const cursor = encodeCursor('things', [amount, moment, '0xab'])
        const kinds = ['numeric', 'integer', 'hex'] as const
        expect(decodeCursor('things', kinds, cursor)).toEqual([
          String(amount),
          String(moment),
          '0xab',
        ])
        expect(() => decodeCursor('others', kinds, cursor)).toThrow(/cursor/)
        expect(() => decodeCursor('things', ['numeric', 'integer'], cursor)).toThrow(/cursor/)
      },
    ),
    { seed: 2, numRuns: 300 },
  )
})

test('no text at all is taken for a cursor by chance, and none throws anything else', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.base64String()), (text) => {
      expect(() => decodeCursor('things', ['integer'], text)).toThrow(/cursor/)
    }),
    { seed: 3, numRuns: 1_000 },
  )
})

test('a page knows whether there is more before and after it', () => {
  const page = (args: object) => parsePageArguments(args, Number)
  const has = (rows: number[], args: object) => {
    const { nodes, pageInfo } = buildConnection(rows, page(args), String)
    return [nodes, pageInfo.hasPreviousPage, pageInfo.hasNextPage]
  }
  expect(has([1, 2, 3], { first: 2 })).toEqual([[1, 2], false, true])
  expect(has([1, 2], { first: 2 })).toEqual([[1, 2], false, false])
  expect(has([3, 4], { first: 2, after: '2' })).toEqual([[3, 4], true, false])
  expect(has([1, 2, 3], { last: 2 })).toEqual([[2, 3], true, false])
  expect(has([1, 2], { last: 2, before: '3' })).toEqual([[1, 2], false, true])
  expect(buildConnection([], page({}), String).pageInfo.endCursor()).toBeNull()
})

test('comparisons of integers become ranges with both ends in them', () => {
  const value = fc.integer({ min: -5, max: 5 })
  const some = fc.option(value, { nil: undefined })
  fc.assert(
    fc.property(
      fc.record({ eq: some, gt: some, gte: some, lt: some, lte: some }),
      value,
      (comparison, x) => {
        const { eq, gt, gte, lt, lte } = comparison
        const holds =
          (eq === undefined || x === eq) &&
          (gt === undefined || x > gt) &&
          (gte === undefined || x >= gte) &&
          (lt === undefined || x < lt) &&
          (lte === undefined || x <= lte)
        const { from = -Infinity, to = Infinity } = toRange(comparison) ?? {}
        expect(x >= from && x <= to).toBe(holds)
      },
    ),
    { seed: 4, numRuns: 2_000 },
  )
})

test('in lists become filters of which nothing passes two', () => {
  const filters = toIntentFilters({
    sender: { in: ['0x01', '0x02', '0x01'] },
    feeBps: { in: [250, 700] },
    status: { in: ['pending'] },
  })
  expect(filters).toHaveLength(4)
  expect(new Set(filters.map(({ sender, feeBps }) => `${sender} ${feeBps}`)).size).toBe(4)
  expect(filters.every(({ statuses }) => statuses?.join() === 'pending')).toBe(true)
  expect(toIntentFilters({ sender: { in: [] } })).toEqual([])
  expect(toIntentFilters(null)).toHaveLength(1)
})
