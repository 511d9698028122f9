import { adversaries } from './adversaries.ts'
import type { Scenario } from './marketScenario.ts'

/** A table cell before it is run. */
export type CellToRun = { family: number; scenario: Scenario }

const floorShares = [0.995, 0.95, 0]
const honestSolvers = [1, 2, 3, 5, 10]
const usualVolatility = 0.04

/** Every adversary on both chains, under every floor, with any number of honest solvers. */
export function listGridCells(): CellToRun[] {
  return allScenarios().flatMap((scenario) =>
    adversaries.flatMap((played, family) =>
      (played.dailyVolatility ?? usualVolatility) === scenario.dailyVolatility
        ? [{ family, scenario }]
        : [],
    ),
  )
}

function allScenarios(): Scenario[] {
  const days = [...new Set(adversaries.map((family) => family.dailyVolatility ?? usualVolatility))]
  return days.flatMap((dailyVolatility) =>
    ([2, 12] as const).flatMap((blockSeconds) =>
      floorShares.flatMap((floorShare) =>
        honestSolvers.map((honest) => ({ blockSeconds, floorShare, honest, dailyVolatility })),
      ),
    ),
  )
}
