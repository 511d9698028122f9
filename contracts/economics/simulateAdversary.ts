import {
  accountsOf,
  type Family,
  playStrategy,
  type Strategy,
  solverUtility,
} from './adversaryStrategy.ts'
import { computeHonestOutcome } from './computeHonestOutcome.ts'
import { market as fairPrice, openMarket, type Scenario } from './marketScenario.ts'

/** Seeds of the auctions in which strategies are selected; these are not counted. */
const training = { from: 1_000_000_000, auctions: 200 }

/** One adversary in one scenario, over many auctions. Shares are of the market. */
export type Cell = {
  family: string
  scenario: Scenario
  /** Its most profitable strategy, selected in other auctions. */
  strategy: string
  auctions: number
  /** Mean profit over honest play in the same auctions, with its standard error. */
  profit: number
  error: number
  /** Mean share that recipients received in settled intents: with honest play, and with the adversary. */
  honestPrice: number
  price: number
  /** Share of intents that were settled: with honest play, and with the adversary. */
  honestSettled: number
  settled: number
  /** Mean additional seconds until the sender's intent ended. */
  timeLost: number
}

/** Runs one table cell. */
export function simulateAdversary(
  family: Family,
  scenario: Scenario,
  auctions: number,
  trained = training.auctions,
): Cell {
  const strategy = mostProfitable(family, scenario, trained)
  const gains = new Tally()
  const lost = new Tally()
  const prices = [new Tally(), new Tally()] as const
  for (let seed = 0; seed < auctions; seed += 1) {
    const { honest, played, gain } = compare(family, scenario, strategy, seed)
    gains.add(gain / fairPrice)
    lost.add(played.lasted - honest.lasted)
    if (honest.delivered > 0) prices[0].add(honest.delivered / fairPrice)
    if (played.delivered > 0) prices[1].add(played.delivered / fairPrice)
  }
  return {
    family: family.name,
    scenario,
    strategy: strategy.name,
    auctions,
    profit: gains.mean,
    error: gains.error,
    honestPrice: prices[0].mean,
    price: prices[1].mean,
    honestSettled: prices[0].count / auctions,
    settled: prices[1].count / auctions,
    timeLost: lost.mean,
  }
}

function mostProfitable(family: Family, scenario: Scenario, trained: number): Strategy {
  let best: Strategy | undefined
  let most = Number.NEGATIVE_INFINITY
  for (const strategy of family.strategies) {
    let sum = 0
    for (let i = 0; i < trained; i += 1) {
      sum += compare(family, scenario, strategy, training.from + i).gain
    }
    if (sum > most) [best, most] = [strategy, sum]
  }
  if (best === undefined) throw new Error(`${family.name} has no strategy`)
  return best
}

/** Plays the same auction twice: everybody honest, and with the strategy. */
function compare(family: Family, scenario: Scenario, strategy: Strategy, seed: number) {
  const accounts = accountsOf(scenario)
  const utility = family.utility ?? solverUtility
  const honest = computeHonestOutcome(scenario, family.partners ?? 1, seed)
  const market = openMarket(scenario, seed)
  const played = playStrategy(scenario, market, strategy)
  const gain =
    utility(played, accounts, market, strategy.name) - utility(honest, accounts, market, 'honest')
  return { honest, played, gain }
}

/** Running mean and standard error. */
class Tally {
  count = 0
  private sum = 0
  private squares = 0

  add(value: number): void {
    this.count += 1
    this.sum += value
    this.squares += value * value
  }

  get mean(): number {
    return this.count === 0 ? Number.NaN : this.sum / this.count
  }

  get error(): number {
    const variance = Math.max(0, this.squares / this.count - this.mean ** 2)
    return Math.sqrt(variance / this.count)
  }
}
