import type { Hex } from '../../src/event/bridgeEvent.ts'
import { calculateBond } from '../../src/money/calculateBond.ts'
import { calculateFee } from '../money/calculateFee.ts'
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
  /** Unix seconds; null when it didn't. */
  lastBidAt: number | null
  /** Whether it has registered for the pair. */
  isRegistered: boolean
  /** Of tokenA, on the source chain: its whole stake, and the part that backs other bids. */
  staked: bigint
  locked: bigint
}

/** What somebody wants to send. Amounts in base units of tokenA. */
type QuoteRequest = {
  amountA: bigint
  /** Null: the reward that recently sufficed. */
  reward: bigint | null
  feeBps: number
}

/** What it would bring. */
export type Quote = {
  feeBps: number
  fee: bigint
  /** What the quote counts with: the request's, or the sufficient one; 0 where neither is known. */
  reward: bigint
  /** What intents like this one recently delivered; null when none did. */
  amountB: bigint | null
  /** The same by the solver that delivered the most; never below `amountB`. */
  bestAmountB: bigint | null
  /** A reward that recently sufficed; null when there was none. */
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

/** The contract takes no more, in per cent of amountA. */
export const MAX_REWARD_PERCENT = 20n

/** A solver's price counts as the best only if it delivered at least this part of the volume: one in so many. */
const MIN_SHARE_DIVISOR = 20n

/** A price as what was delivered for what was paid to its solver: no division, so nothing is rounded. */
type Rate = { delivered: bigint; income: bigint }

/** What a pair's recent completions say, whatever is sent. */
export type PairPrices = {
  rate: Rate | null
  /** That of the solver with the best one; never below `rate`. */
  bestRate: Rate | null
  /** The intent whose reward, as a part of its amountA, recently sufficed. */
  rewarded: Pick<CompletedIntent, 'reward' | 'amountA'> | null
  completionSeconds: Quote['completionSeconds']
  basis: Quote['basis']
  wins: ReadonlyMap<Hex, number>
}

/**
 * What a pair's recent completions say. Every figure is weighted by amountA, and what isn't completed doesn't
 * count: to move a figure, somebody must settle more than all others together and pay the fees for it; to move
 * the best rate, a twentieth of all.
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
 * What an intent would bring at its pair's prices. Only the chain's stakes and solvers' own bids show which are
 * live and able.
 */
export function calculateQuote(
  prices: PairPrices,
  solvers: readonly QuotedSolver[],
  { amountA, reward: asked, feeBps }: QuoteRequest,
): Quote {
  const { rate, bestRate, rewarded, completionSeconds, basis, wins } = prices
  const sufficientReward = rewarded && scaleReward(rewarded, amountA)
  const reward = asked ?? sufficientReward ?? 0n
  const fee = calculateFee(amountA, feeBps)
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

/** The median; null of nothing. */
function findMedianRate(intents: readonly CompletedIntent[]): Rate | null {
  const rates = intents.map(({ amountA, reward, feeBps, winningAmountB }): Weighted<Rate> => {
    const income = amountA - calculateFee(amountA, feeBps) + reward
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

/** The same part of amountA as recently, rounded up, limited to what the contract accepts. */
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

/** The first of the largest; null of nothing. */
function findLargest<Value>(
  values: readonly (Value | null)[],
  by: (one: Value, other: Value) => number,
): Value | null {
  return values.reduce(
    (most, value) => (value !== null && (most === null || by(value, most) > 0) ? value : most),
    null,
  )
}
