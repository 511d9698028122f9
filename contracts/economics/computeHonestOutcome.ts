import { honestCast } from './adversaryStrategy.ts'
import { openMarket, type Scenario } from './marketScenario.ts'
import { type Outcome, playAuction } from './playAuction.ts'

/** Outcomes for the current scenario: all adversaries are compared with the same honest auctions. */
const kept = { scenario: '', outcomes: new Map<string, Outcome>() }

/** The outcome of auction `seed` when everybody is honest, the adversary's accounts included. */
export function computeHonestOutcome(scenario: Scenario, partners: number, seed: number): Outcome {
  const name = JSON.stringify(scenario)
  if (kept.scenario !== name) {
    kept.scenario = name
    kept.outcomes.clear()
  }
  const key = `${partners} ${seed}`
  const known = kept.outcomes.get(key)
  if (known !== undefined) return known
  const market = openMarket(scenario, seed)
  const outcome = {
    ...playAuction(scenario, market, honestCast(scenario, market, partners)),
    log: [],
  }
  kept.outcomes.set(key, outcome)
  return outcome
}
