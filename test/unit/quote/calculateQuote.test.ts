import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  type CompletedIntent,
  calculatePrices,
  calculateQuote,
  type QuotedSolver,
} from '../../../core/quote/calculateQuote.ts'
import { findWeightedQuantile } from '../../../core/quote/weightedQuantile.ts'
import type { Hex } from '../../../src/event/bridgeEvent.ts'

const ONE: Hex = `0x${'01'.repeat(20)}`
const OTHER: Hex = `0x${'02'.repeat(20)}`
const SHILL: Hex = `0x${'66'.repeat(20)}`

/** 1,000 for 980 delivered: of what its solver earned (975 and 10) about 99.5 %. */
function completed(changes: Partial<CompletedIntent> = {}): CompletedIntent {
  const terms = { amountA: 1_000n, reward: 10n, feeBps: 250, winningAmountB: 980n, seconds: 60 }
  return { solver: ONE, ...terms, ...changes }
}

function live(changes: Partial<QuotedSolver> = {}): QuotedSolver {
  const stake = { staked: 1_000n, locked: 0n }
  return { solver: ONE, auctions: 3, lastBidAt: 5, isRegistered: false, ...stake, ...changes }
}

function quote(
  history: readonly CompletedIntent[],
  solvers: readonly QuotedSolver[],
  request: Parameters<typeof calculateQuote>[2],
) {
  return calculateQuote(calculatePrices(history), solvers, request)
}

const REQUESTED = { amountA: 2_000n, reward: null, feeBps: 250 }

describe('a quote', () => {
  test('without completed intents has only the fee and the bond', () => {
    expect(quote([], [], REQUESTED)).toEqual({
      feeBps: 250,
      fee: 50n,
      reward: 0n,
      bond: 100n,
      solvers: [],
      amountB: null,
      bestAmountB: null,
      sufficientReward: null,
      completionSeconds: null,
      basis: { intents: 0, solvers: 0, totalAmountA: 0n, largestAmountA: 0n },
    })
  })

  test('scales with the amount', () => {
    const one = quote([completed()], [live()], REQUESTED)
    expect(one).toMatchObject({
      amountB: 1_960n,
      bestAmountB: 1_960n,
      reward: 20n,
      sufficientReward: 20n,
      bond: 101n,
      fee: 50n,
      completionSeconds: { p50: 60, p95: 60 },
      basis: { intents: 1, solvers: 1, totalAmountA: 1_000n, largestAmountA: 1_000n },
    })
    expect(one.solvers).toEqual([{ ...live(), wins: 1, isAble: true }])
  })

  test('is lower for registered recipients and higher with a larger reward', () => {
    const amountOf = (changes: object) =>
      quote([completed()], [], { ...REQUESTED, ...changes }).amountB as bigint
    expect(amountOf({ feeBps: 700 })).toBeLessThan(amountOf({}))
    expect(amountOf({ reward: 200n })).toBeGreaterThan(amountOf({}))
    // The fee of an earlier intent was taken into account when that was priced.
    const shielded = completed({ feeBps: 700, winningAmountB: 935n })
    expect(quote([shielded], [], REQUESTED).amountB).toBe((935n * 1_970n) / 940n)
  })

  test('is the median by volume, beside the best solver’s', () => {
    const history = [
      completed({ winningAmountB: 970n, amountA: 1_000n }),
      completed({ winningAmountB: 980n, amountA: 1_000n }),
      completed({ solver: OTHER, winningAmountB: 990n, amountA: 1_000n }),
    ]
    const { amountB, bestAmountB } = quote(history, [], REQUESTED)
    expect([amountB, bestAmountB]).toEqual([1_960n, 1_980n])
  })

  test('compares prices by what the solvers earned', () => {
    // The other one delivered more, for a tenth more.
    const history = [completed(), completed({ solver: OTHER, winningAmountB: 985n, reward: 110n })]
    expect(quote(history, [], REQUESTED).bestAmountB).toBe(1_960n)
  })

  test('has a best price even if no solver has much of the volume', () => {
    const solvers = Array.from({ length: 25 }, (_, at): Hex => `0x${String(at).padStart(40, '0')}`)
    const history = solvers.map((solver) => completed({ solver }))
    expect(quote(history, [], REQUESTED).bestAmountB).toBe(1_960n)
    // A twentieth is enough.
    const best = completed({ winningAmountB: 990n, amountA: 1_000n })
    const larger = { amountA: 19_000n, reward: 190n, winningAmountB: 18_620n }
    const rest = completed({ solver: OTHER, ...larger })
    expect(quote([rest, best], [], REQUESTED).bestAmountB).toBe(1_980n)
  })

  test('gives the median time by volume, and one that few exceed', () => {
    const slow = completed({ amountA: 100n, seconds: 900 })
    const history = [...Array(9).fill(completed({ amountA: 100n })), slow]
    expect(quote(history, [], REQUESTED).completionSeconds).toEqual({ p50: 60, p95: 900 })
  })

  test('derives a sufficient reward from the shares that were paid', () => {
    const history = [
      completed({ reward: 10n }),
      completed({ amountA: 100n, reward: 5n }),
      completed({ reward: 30n }),
    ]
    expect(quote(history, [], REQUESTED).sufficientReward).toBe(60n)
  })

  test('rounds a sufficient reward up', () => {
    const rewardFor = (amountA: bigint) =>
      quote([completed()], [], { ...REQUESTED, amountA }).sufficientReward
    expect([100n, 101n, 199n, 200n].map(rewardFor)).toEqual([1n, 2n, 2n, 2n])
  })

  test('never has a reward above the contract’s maximum', () => {
    const generous = completed({ reward: 999n })
    expect(quote([generous], [], REQUESTED).sufficientReward).toBe(400n)
  })

  test('counts a solver as able if its whole stake covers the bond', () => {
    const solvers = [
      live({ staked: 100n, locked: 100n }),
      live({ solver: OTHER, staked: 100n }),
      live({ solver: SHILL, staked: 0n }),
    ]
    const able = quote([], solvers, { ...REQUESTED, reward: 0n }).solvers
    expect(able.map(({ isAble }) => isAble)).toEqual([true, true, false])
    const larger = quote([], solvers, { ...REQUESTED, reward: 20n }).solvers
    expect(larger.map(({ isAble }) => isAble)).toEqual([false, false, false])
    // Too little for a bond.
    const smallest = quote([], solvers, { ...REQUESTED, amountA: 1n, reward: 0n })
    expect(smallest.bond).toBe(0n)
    expect(smallest.solvers.map(({ isAble }) => isAble)).toEqual([true, true, false])
  })
})

describe('a solver that trades with itself to move a quote', () => {
  const honest = [completed({ amountA: 1_000_000n, winningAmountB: 980_000n, reward: 10_000n })]
  const before = quote(honest, [], REQUESTED)
  const shilled = (intents: number, change: Partial<CompletedIntent>) =>
    Array.from({ length: intents }, () => completed({ solver: SHILL, ...change }))

  test('changes nothing by a thousand small intents', () => {
    for (const winningAmountB of [1n, 10n ** 30n]) {
      // Together they are just short of the one honest intent.
      const history = [...honest, ...shilled(999, { winningAmountB, reward: 200n, seconds: 9_999 })]
      const { amountB, sufficientReward, completionSeconds } = quote(history, [], REQUESTED)
      expect({ amountB, sufficientReward }).toEqual({
        amountB: before.amountB,
        sufficientReward: before.sufficientReward,
      })
      expect(completionSeconds?.p50).toBe(60)
    }
  })

  test('can’t set the best price with less than 5 % of the volume', () => {
    const quoteWith = (amountA: bigint) => {
      const history = [...honest, ...shilled(1, { amountA, winningAmountB: 10n ** 30n })]
      return quote(history, [], REQUESTED)
    }
    // The honest ones are 1,000,000: with 52,631 it has a little less than 5 % of all.
    expect(quoteWith(52_631n).bestAmountB).toBe(before.bestAmountB)
    expect(quoteWith(52_632n).bestAmountB).toBeGreaterThan(10n ** 20n)
  })

  test('can’t make an honest solver’s price look unattainable', () => {
    const history = [...honest, ...shilled(5_000, { winningAmountB: 1n })]
    const { amountB, bestAmountB } = quote(history, [], REQUESTED)
    // With five times the volume, and the fees of that, it has the median …
    expect(amountB).toBeLessThan(10n)
    // … and still not the best.
    expect(bestAmountB).toBe(before.amountB)
  })
})

test('of two values with the same weight, the median is the smaller', () => {
  const items = [2, 1].map((value) => ({ value, weight: 7n }))
  expect(findWeightedQuantile(items, (one, other) => one - other, 50)).toBe(1)
})

test('a quantile splits the weight', () => {
  const items = fc.array(
    fc.record({ value: fc.integer({ min: 0, max: 50 }), weight: fc.bigInt({ min: 1n, max: 99n }) }),
    { minLength: 1, maxLength: 30 },
  )
  fc.assert(
    fc.property(items, fc.integer({ min: 1, max: 100 }), (list, percent) => {
      const found = findWeightedQuantile(list, (one, other) => one - other, percent) as number
      const whole = list.reduce((sum, { weight }) => sum + weight, 0n)
      const upTo = (limit: number) =>
        list.reduce((sum, { value, weight }) => (value <= limit ? sum + weight : sum), 0n)
      expect(upTo(found) * 100n).toBeGreaterThanOrEqual(whole * BigInt(percent))
      expect(upTo(found - 1) * 100n).toBeLessThan(whole * BigInt(percent))
    }),
  )
})
