import type { Hex } from '../../src/event/bridgeEvent.ts'
import { shareOf } from '../../src/money/bps.ts'
import { calculateBond } from '../../src/money/calculateBond.ts'
import { findWeightedQuantile, type Weighted } from './weightedQuantile.ts'

/** An intent of the pair that was delivered, settled and has paid its fee. Amounts in base units. */
export type CompletedIntent = {
  solver: Hex
  amountA: bigint
  reward: bigint
  feeBps: number
  /** Of tokenB: what its winner committed to. */
  winningAmountB: bigint
  /** From its creation to its settlement. */
  seconds: number
}

/** A solver that may bid for an intent of the pair now. */
export type QuotedSolver = {
  solver: Hex
  /** Recent auctions of the pair in which it bid. */
  auctions: number
  /** Unix seconds; null when it didn't bid. */
  lastBidAt: number | null
  /** Whether it has registered for the pair. */
  isRegistered: boolean
  /** Of tokenA, on the source chain: its whole stake, and the part that backs other bids. */
  staked: bigint
  locked: bigint
}

/** The transfer to quote. Amounts in base units of tokenA. */
type QuoteRequest = {
  amountA: bigint
  /** Null: assume the reward that recently sufficed. */
  reward: bigint | null
  feeBps: number
}

/** The expected outcome. */
export type Quote = {
  feeBps: number
  fee: bigint
  /** The reward that the quote assumes: the requested or the sufficient one; 0 if neither is known. */
  reward: bigint
  /** What intents like this one recently delivered; null if there were none. */
  amountB: bigint | null
  /** The same at the best solver's price; never below `amountB`. */
  bestAmountB: bigint | null
  /** A reward that recently sufficed; null if unknown. */
  sufficientReward: bigint | null
  /** Seconds from creation to settlement; null when nothing was completed recently. */
  completionSeconds: { p50: number; p95: number } | null
  /** What the figures are based on. */
  basis: { intents: number; solvers: number; totalAmountA: bigint; largestAmountA: bigint }
  /** What a solver locks for a bid. */
  bond: bigint
  solvers: (QuotedSolver & {
    /** Intents that it completed, among those behind the figures. */
    wins: number
    /** Whether its stake backs a bid for this intent. */
    isAble: boolean
  })[]
}

/** The contract's limit on the reward, in per cent of amountA. */
export const MAX_REWARD_PERCENT = 20n

/** A solver's price counts as the best only if it delivered at least this share of the volume: one in so many. */
const MIN_SHARE_DIVISOR = 20n

/** A price as a fraction, delivered / paid to the solver, so that nothing is rounded. */
type Rate = { delivered: bigint; income: bigint }

/** The part of a quote that doesn't depend on the request. */
export type PairPrices = {
  rate: Rate | null
  /** The best solver's rate; never below `rate`. */
  bestRate: Rate | null
  /** The intent whose reward, as a share of its amountA, recently sufficed. */
  rewarded: Pick<CompletedIntent, 'reward' | 'amountA'> | null
  completionSeconds: Quote['completionSeconds']
  basis: Quote['basis']
  wins: ReadonlyMap<Hex, number>
}

/**
 * Derives a pair's prices from its recent completions. Every figure is weighted by amountA, and only completed intents
 * count: to move a figure, someone must settle more than everyone else together and pay the fees; to move the best
 * rate, a twentieth of the total.
 */
export function calculatePrices(completed: readonly CompletedIntent[]): PairPrices {
  const bySolver = Map.groupBy(completed, ({ solver }) => solver)
  const totalAmountA = sumVolume(completed)
  const larger = [...bySolver.values()].filter(
    (intents) => sumVolume(intents) * MIN_SHARE_DIVISOR >= totalAmountA,
  )
  const rate = findMedianRate(completed)
  return {
    rate,
    bestRate: findLargest([rate, ...larger.map(findMedianRate)], compareRates),
    rewarded: findMedianReward(completed),
    completionSeconds: findCompletionSeconds(completed),
    basis: {
      intents: completed.length,
      solvers: bySolver.size,
      totalAmountA,
      largestAmountA:
        findLargest(
          completed.map((one) => one.amountA),
          compare,
        ) ?? 0n,
    },
    wins: new Map([...bySolver].map(([solver, { length }]) => [solver, length])),
  }
}

/**
 * Quotes an intent at its pair's prices. Only stakes on chain and solvers' own bids show which solvers are live and
 * able to bid.
 */
export function calculateQuote(
  prices: PairPrices,
  solvers: readonly QuotedSolver[],
  { amountA, reward: asked, feeBps }: QuoteRequest,
): Quote {
  const { rate, bestRate, rewarded, completionSeconds, basis, wins } = prices
  const sufficientReward = rewarded && scaleReward(rewarded, amountA)
  const reward = asked ?? sufficientReward ?? 0n
  const fee = shareOf(amountA, feeBps)
  const bond = calculateBond({ amountA, reward })
  const amountAt = ({ delivered, income }: Rate) => (delivered * (amountA - fee + reward)) / income
  return {
    feeBps,
    fee,
    reward,
    sufficientReward,
    completionSeconds,
    basis,
    bond,
    amountB: rate && amountAt(rate),
    bestAmountB: bestRate && amountAt(bestRate),
    solvers: solvers.map((one) => ({
      ...one,
      wins: wins.get(one.solver) ?? 0,
      isAble: one.staked >= bond && one.staked > 0n,
    })),
  }
}

function sumVolume(intents: readonly CompletedIntent[]): bigint {
  return intents.reduce((sum, one) => sum + one.amountA, 0n)
}

/** The median; null if there are no values. */
function findMedianRate(intents: readonly CompletedIntent[]): Rate | null {
  const rates = intents.map(({ amountA, reward, feeBps, winningAmountB }): Weighted<Rate> => {
    const income = amountA - shareOf(amountA, feeBps) + reward
    return { value: { delivered: winningAmountB, income }, weight: amountA }
  })
  return findWeightedQuantile(rates, compareRates, 50)
}

function compareRates(one: Rate, other: Rate): number {
  return compare(one.delivered * other.income, other.delivered * one.income)
}

function findMedianReward(completed: readonly CompletedIntent[]): PairPrices['rewarded'] {
  return findWeightedQuantile(
    completed.map((one) => ({ value: one, weight: one.amountA })),
    (one, other) => compare(one.reward * other.amountA, other.reward * one.amountA),
    50,
  )
}

/** The same share of amountA as recently, rounded up, limited to what the contract accepts. */
function scaleReward(
  { reward, amountA: paidFor }: Pick<CompletedIntent, 'reward' | 'amountA'>,
  amountA: bigint,
): bigint {
  const needed = (reward * amountA + paidFor - 1n) / paidFor
  const most = (amountA * MAX_REWARD_PERCENT) / 100n
  return needed < most ? needed : most
}

function findCompletionSeconds(completed: readonly CompletedIntent[]): Quote['completionSeconds'] {
  const items = completed.map(({ seconds, amountA }) => ({ value: seconds, weight: amountA }))
  const of = (percent: number) => findWeightedQuantile(items, (one, other) => one - other, percent)
  const [p50, p95] = [of(50), of(95)]
  return p50 === null || p95 === null ? null : { p50, p95 }
}

function compare(one: bigint, other: bigint): number {
  return one < other ? -1 : one > other ? 1 : 0
}

/** The first of the largest; null if there are no values. */
function findLargest<Value>(
  values: readonly (Value | null)[],
  by: (one: Value, other: Value) => number,
): Value | null {
  return values.reduce(
    (most, value) => (value !== null && (most === null || by(value, most) > 0) ? value : most),
    null,
  )
}
