import { createSeededRandom, type Random } from './seededRandom.ts'

/** The fixed parameters of a table cell. */
export type Scenario = {
  /** Seconds between blocks. */
  blockSeconds: 2 | 12
  /** The sender's floor as a share of what the winner is paid; 0 is one unit. */
  floorShare: number
  /** Honest solvers, besides the adversary. */
  honest: number
  /** Standard deviation of a day's price change. */
  dailyVolatility: number
}

/** Hundredths of a cent: every token is worth a dollar at creation and has 6 decimals. */
export const amountA = 1_000_000_000
export const reward = 10_000_000
export const feeBps = 250
/** What the winner is paid, and so the most a delivery can be worth. */
export const market = amountA + reward - (amountA * feeBps) / 10_000

/** Seconds between two prices. */
const tick = 10
/** A solver's costs of delivery and rebalancing, as shares of the market. */
const leastCost = 0.0002
const mostCost = 0.006
const missedSlots = 0.01

/** The parts of an auction that no player controls. */
export type Market = {
  seed: number
  /** Each account's cost of delivering, as a share. */
  costs: number[]
  /** Value at a time of what was worth 1 at creation. */
  rateAt(time: number): number
  /** The first block at or after a time. */
  blockFrom(time: number): number
  /** Random numbers for one purpose, independent of other draws. */
  stream(purpose: number): Random
}

/** The market of auction `seed`; the same for every player. */
export function openMarket(scenario: Scenario, seed: number): Market {
  const stream = (purpose: number) => createSeededRandom(seed * 1_000_003 + purpose * 7_919)
  const draw = stream(1)
  const costs: number[] = []
  for (let account = 0; account < scenario.honest + 2; account += 1) {
    costs.push(leastCost + draw.next() * (mostCost - leastCost))
  }
  return {
    seed,
    costs,
    rateAt: priceOf(stream(2), scenario.dailyVolatility),
    blockFrom: blocksOf(stream(3), scenario.blockSeconds),
    stream,
  }
}

/** A driftless geometric random walk, extended on demand. */
function priceOf(random: Random, dailyVolatility: number): (time: number) => number {
  const deviation = dailyVolatility * Math.sqrt(tick / 86_400)
  const rates = [1]
  return (time) => {
    const index = Math.floor(time / tick)
    while (rates.length <= index) {
      const last = rates[rates.length - 1] ?? 1
      rates.push(last * Math.exp(deviation * random.normal() - (deviation * deviation) / 2))
    }
    return rates[index] ?? 1
  }
}

/** Blocks at every multiple of the block time; on the 12-second chain one slot in a hundred is empty. */
function blocksOf(random: Random, blockSeconds: number): (time: number) => number {
  if (blockSeconds === 2) return (time) => Math.ceil(time / 2) * 2
  const salt = Math.floor(random.next() * 2 ** 31)
  return (time) => {
    let slot = Math.ceil(time / blockSeconds)
    while (createSeededRandom(salt + slot).next() < missedSlots) slot += 1
    return slot * blockSeconds
  }
}
