import { type Random, randomFrom } from './random.ts'

/** What one cell of the table holds still. */
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

/** Hundredths of a cent: every token here is worth a dollar at the creation and has 6 decimals. */
export const amountA = 1_000_000_000
export const reward = 10_000_000
export const feeBps = 250
/** What the winner is paid, and so what the delivery is worth at most. */
export const market = amountA + reward - (amountA * feeBps) / 10_000

/** Seconds between two prices. */
const tick = 10
/** A solver's cost of delivering and rebalancing, as shares of the market. */
const leastCost = 0.0002
const mostCost = 0.006
const missedSlots = 0.01

/** Everything about one auction that no player decides. */
export type Market = {
  seed: number
  /** By account: what delivering costs it, as a share. */
  costs: number[]
  /** What was worth 1 at the creation is worth this then. */
  rateAt(time: number): number
  /** The first block at or after a time. */
  blockFrom(time: number): number
  /** Numbers for one purpose that don't depend on how many others were drawn. */
  stream(purpose: number): Random
}

/** The market of auction `seed`; the same for every player. */
export function openMarket(scenario: Scenario, seed: number): Market {
  const stream = (purpose: number) => randomFrom(seed * 1_000_003 + purpose * 7_919)
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

/** A driftless geometric random walk, drawn as far as somebody asks. */
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
    while (randomFrom(salt + slot).next() < missedSlots) slot += 1
    return slot * blockSeconds
  }
}
