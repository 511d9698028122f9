import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { FEE_BPS, shareOf } from '../../../src/money/bps.ts'
import { calculateBond } from '../../../src/money/calculateBond.ts'
import { saturatingAdd } from '../../../src/money/saturatingAdd.ts'

const anyAmount = fc.bigInt({ min: 0n, max: 2n ** 96n - 1n })

describe('fee and bond', () => {
  test('are the specification’s 2.5 %, 7 % and 5 %, rounded down', () => {
    expect(shareOf(1_000_000n, FEE_BPS.unshielded)).toBe(25_000n)
    expect(shareOf(1_000_000n, FEE_BPS.shielded)).toBe(70_000n)
    expect(calculateBond({ amountA: 1_000_000n, reward: 0n })).toBe(50_000n)
    expect(calculateBond({ amountA: 1_000_000n, reward: 200_000n })).toBe(60_000n)
    expect([shareOf(39n, 250), shareOf(40n, 250), shareOf(79n, 250)]).toEqual([0n, 1n, 1n])
    const bonds = [19n, 20n, 39n].map((amountA) =>
      calculateBond({ amountA: amountA - 1n, reward: 1n }),
    )
    expect(bonds).toEqual([0n, 1n, 1n])
  })

  test('the fee is a share of the amount, rounded down', () => {
    fc.assert(
      fc.property(anyAmount, fc.constantFrom(250, 700), (amountA, feeBps) => {
        expect(shareOf(amountA, feeBps) * 10_000n <= amountA * BigInt(feeBps)).toBe(true)
        expect((shareOf(amountA, feeBps) + 1n) * 10_000n > amountA * BigInt(feeBps)).toBe(true)
      }),
      { seed: 3, numRuns: 1_000 },
    )
  })
})

test('statistics stop at 2^256 − 1 instead of overflowing their column', () => {
  const max = 2n ** 256n - 1n
  expect(saturatingAdd(1n, 2n)).toBe(3n)
  expect(saturatingAdd(max - 1n, 1n)).toBe(max)
  expect(saturatingAdd(max, max)).toBe(max)
})
