import { describe, expect, it } from 'vitest'
import { adversaries } from '../../../contracts/economics/adversaries.ts'
import { findUnacceptedGain } from '../../../contracts/economics/findUnacceptedGain.ts'
import { listGridCells } from '../../../contracts/economics/listGridCells.ts'
import type { Scenario } from '../../../contracts/economics/marketScenario.ts'
import { type Cell, simulateAdversary } from '../../../contracts/economics/simulateAdversary.ts'

const lonely: Scenario = { blockSeconds: 2, floorShare: 0.95, honest: 1, dailyVolatility: 0.04 }
const crowded: Scenario = { blockSeconds: 12, floorShare: 0, honest: 5, dailyVolatility: 0.04 }
const auctions = 300
const trained = 20

describe('the economics of the auction (npm run test:economics plays them at length)', () => {
  it.each(adversaries)('$name: no richer than by honest play, but for what remains', (family) => {
    for (const scenario of [lonely, crowded]) {
      const { dailyVolatility = scenario.dailyVolatility } = family
      const cell = simulateAdversary(family, { ...scenario, dailyVolatility }, auctions, trained)
      expect(findUnacceptedGain(cell)).toBeUndefined()
    }
  })

  it('a spoiler with a second account loses most of a lock', () => {
    const spoiler = adversaries.find(({ name }) => name.startsWith('spoiler'))
    expect(spoiler && simulateAdversary(spoiler, crowded, auctions, trained).profit).toBeLessThan(
      -0.01,
    )
  })

  it('covers every adversary under every floor, with 1 to 10 honest solvers, on both chains', () => {
    const cells = listGridCells()
    expect(cells).toHaveLength(adversaries.length * 2 * 3 * 5)
    expect(new Set(cells.map(({ scenario }) => scenario.honest))).toEqual(new Set([1, 2, 3, 5, 10]))
  })
})

describe('complaintAbout', () => {
  const cell: Cell = {
    family: 'no-show',
    scenario: lonely,
    strategy: 'any',
    auctions: 10_000,
    profit: 0.0002,
    error: 0.00004,
    honestPrice: 1,
    price: 1,
    honestSettled: 1,
    settled: 1,
    timeLost: 0,
  }

  it('complains of a gain that is no chance', () => {
    expect(findUnacceptedGain(cell)).toBe(
      'no-show, 2 s blocks, 95.0 % floor, 1 honest: ends up richer by 2.0, and is not among what remains; it plays "any"',
    )
  })

  it('lets chance pass', () => {
    expect(findUnacceptedGain({ ...cell, error: 0.0001 })).toBeUndefined()
  })

  it('lets pass what remains, up to its limit', () => {
    const sniper = { ...cell, family: 'sniper', error: 0 }
    expect(findUnacceptedGain({ ...sniper, profit: 0.001 })).toBeUndefined()
    expect(findUnacceptedGain({ ...sniper, profit: 0.002 })).toMatch(/richer by 20\.0, above 12\.0/)
  })
})
