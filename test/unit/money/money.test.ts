import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { bondOf } from '../../../src/money/bondOf.ts'
import { FEE_BPS } from '../../../src/money/bps.ts'
import { feeOf } from '../../../src/money/feeOf.ts'
import { payoutOf } from '../../../src/money/payoutOf.ts'
import { saturatingAdd } from '../../../src/money/saturatingAdd.ts'
import { formatTokenAmount, parseTokenAmount } from '../../../src/money/tokenUnits.ts'

const anyAmount = fc.bigInt({ min: 0n, max: 2n ** 96n - 1n })
const anyDecimals = fc.integer({ min: 0, max: 30 })

describe('fee, bond and payout', () => {
  test('are the specification’s 2.5 %, 7 % and 5 %, rounded down', () => {
    expect(feeOf(1_000_000n, FEE_BPS.unshielded)).toBe(25_000n)
    expect(feeOf(1_000_000n, FEE_BPS.shielded)).toBe(70_000n)
    expect(bondOf({ amountA: 1_000_000n, reward: 0n })).toBe(50_000n)
    expect(bondOf({ amountA: 1_000_000n, reward: 200_000n })).toBe(60_000n)
    expect([feeOf(39n, 250), feeOf(40n, 250), feeOf(79n, 250)]).toEqual([0n, 1n, 1n])
    const bonds = [19n, 20n, 39n].map((amountA) => bondOf({ amountA: amountA - 1n, reward: 1n }))
    expect(bonds).toEqual([0n, 1n, 1n])
  })

  test('fee and payout share out the escrow to the unit', () => {
    fc.assert(
      fc.property(anyAmount, anyAmount, fc.constantFrom(250, 700), (amountA, reward, feeBps) => {
        const payout = payoutOf({ amountA, reward, feeBps })
        expect(payout + feeOf(amountA, feeBps)).toBe(amountA + reward)
        expect(feeOf(amountA, feeBps) * 10_000n <= amountA * BigInt(feeBps)).toBe(true)
        expect((feeOf(amountA, feeBps) + 1n) * 10_000n > amountA * BigInt(feeBps)).toBe(true)
      }),
      { seed: 3, numRuns: 1_000 },
    )
  })
})

describe('token units', () => {
  test('parse and format are inverse', () => {
    fc.assert(
      fc.property(anyAmount, anyDecimals, (amount, decimals) => {
        expect(parseTokenAmount(formatTokenAmount(amount, decimals), decimals)).toBe(amount)
      }),
      { seed: 4, numRuns: 1_000 },
    )
  })

  test('read and write what people write', () => {
    expect(parseTokenAmount('1.5', 6)).toBe(1_500_000n)
    expect(parseTokenAmount('0.000001', 6)).toBe(1n)
    expect(parseTokenAmount('007', 0)).toBe(7n)
    expect(formatTokenAmount(1_500_000n, 6)).toBe('1.5')
    expect(formatTokenAmount(1n, 18)).toBe('0.000000000000000001')
    expect(formatTokenAmount(-1_500_000n, 6)).toBe('-1.5')
    expect(formatTokenAmount(100n, 0)).toBe('100')
  })

  test('refuse what would be rounded or guessed', () => {
    for (const text of ['', '.', '.5', '5.', '1e6', '-1', '+1', ' 1', '1,5', '0x10', '١']) {
      expect(() => parseTokenAmount(text, 6)).toThrow(RangeError)
    }
    expect(() => parseTokenAmount('0.0000001', 6)).toThrow(RangeError)
  })
})

test('statistics stop at 2^256 − 1 instead of overflowing their column', () => {
  const max = 2n ** 256n - 1n
  expect(saturatingAdd(1n, 2n)).toBe(3n)
  expect(saturatingAdd(max - 1n, 1n)).toBe(max)
  expect(saturatingAdd(max, max)).toBe(max)
})
