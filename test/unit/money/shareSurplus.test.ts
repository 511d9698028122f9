import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { shareSurplus } from '../../../core/money/shareSurplus.ts'

const amount = fc.bigInt({ min: 1n, max: 1n << 128n })

describe('surplus over the recipients’ amounts', () => {
  test('is shared by proportion, what rounding leaves goes to the first', () => {
    expect(shareSurplus([100n, 100n, 100n], 310n)).toEqual([104n, 103n, 103n])
    expect(shareSurplus([1n, 3n], 8n)).toEqual([2n, 6n])
    expect(shareSurplus([7n], 9n)).toEqual([9n])
    expect(shareSurplus([7n, 5n], 12n)).toEqual([7n, 5n])
  })

  test('adds up, and nobody gets less than its amount or its share', () => {
    fc.assert(
      fc.property(fc.array(amount, { minLength: 1, maxLength: 9 }), amount, (amounts, surplus) => {
        const sum = amounts.reduce((all, one) => all + one, 0n)
        const owed = shareSurplus(amounts, sum + surplus)
        expect(owed.reduce((all, one) => all + one, 0n)).toBe(sum + surplus)
        for (const [i, one] of owed.entries()) {
          const share = amounts[i]! + (surplus * amounts[i]!) / sum
          expect(one - share).toBeGreaterThanOrEqual(0n)
          expect(one - share).toBeLessThan(i === 0 ? BigInt(amounts.length) : 1n)
        }
      }),
      { seed: 31, numRuns: 300 },
    )
  })

  test('there must be something to share', () => {
    expect(() => shareSurplus([], 5n)).toThrow(RangeError)
    expect(() => shareSurplus([5n], 4n)).toThrow(RangeError)
    expect(() => shareSurplus([5n, 0n], 6n)).toThrow(RangeError)
  })
})
