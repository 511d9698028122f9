import type { Hex } from '../../src/event/bridgeEvent.ts'
import { bondOf } from '../../src/money/bondOf.ts'
import { feeOf } from '../money/feeOf.ts'
import { type Weighted, weightedQuantile } from './weightedQuantile.ts'

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
const LEAST_SHARE = 20n

/** A price as what was delivered for what was paid to its solver: no division, so nothing is rounded. */
type Rate = { delivered: bigint; income: bigint }

/**
 * What an intent would bring, judged by recent completions of its pair. Every figure is weighted by amountA,
 * and what isn't completed doesn't count: to move a figure, somebody must settle more than all others
 * together and pay the fees for it; to move the best amount, a twentieth of all. Only the chain's stakes and solvers' own bids show which are live and
 * able.
 */
export function quoteOf(
  completed: readonly CompletedIntent[],
  solvers: readonly QuotedSolver[],
  { amountA, reward: asked, feeBps }: QuoteRequest,
): Quote {
  const sufficientReward = rewardOf(completed, amountA)
  const reward = asked ?? sufficientReward ?? 0n
  const fee = feeOf(amountA, feeBps)
  const income = amountA - fee + reward
  const bond = bondOf({ amountA, reward })
  const bySolver = Map.groupBy(completed, ({ solver }) => solver)
  const amountOf = (intents: readonly CompletedIntent[]) => {
    const rate = weightedQuantile(intents.map(rateOf), byRate, 50)
    return rate === null ? null : (rate.delivered * income) / rate.income
  }
  const amountB = amountOf(completed)
  const totalAmountA = volumeOf(completed)
  const larger = [...bySolver.values()].filter(
    (intents) => volumeOf(intents) * LEAST_SHARE >= totalAmountA,
  )
  return {
    ...{ feeBps, fee, reward, amountB, sufficientReward, bond },
    bestAmountB: largest([amountB, ...larger.map(amountOf)]),
    completionSeconds: secondsOf(completed),
    basis: {
      ...{ intents: completed.length, solvers: bySolver.size },
      totalAmountA,
      largestAmountA: largest(completed.map((one) => one.amountA)) ?? 0n,
    },
    solvers: solvers.map((one) => {
      const wins = bySolver.get(one.solver)?.length ?? 0
      return { ...one, wins, isAble: one.staked >= bond && one.staked > 0n }
    }),
  }
}

function volumeOf(intents: readonly CompletedIntent[]): bigint {
  return intents.reduce((sum, one) => sum + one.amountA, 0n)
}

function rateOf(intent: CompletedIntent): Weighted<Rate> {
  const { amountA, reward, feeBps, winningAmountB } = intent
  const income = amountA - feeOf(amountA, feeBps) + reward
  return { value: { delivered: winningAmountB, income }, weight: amountA }
}

function byRate(one: Rate, other: Rate): number {
  return compare(one.delivered * other.income, other.delivered * one.income)
}

/** The same part of amountA as recently, rounded up, limited to what the contract accepts. */
function rewardOf(completed: readonly CompletedIntent[], amountA: bigint): bigint | null {
  const part = weightedQuantile(
    completed.map((one) => ({ value: one, weight: one.amountA })),
    (one, other) => compare(one.reward * other.amountA, other.reward * one.amountA),
    50,
  )
  if (part === null) return null
  const needed = (part.reward * amountA + part.amountA - 1n) / part.amountA
  const most = (amountA * MAX_REWARD_PERCENT) / 100n
  return needed < most ? needed : most
}

function secondsOf(completed: readonly CompletedIntent[]): Quote['completionSeconds'] {
  const items = completed.map(({ seconds, amountA }) => ({ value: seconds, weight: amountA }))
  const of = (percent: number) => weightedQuantile(items, (one, other) => one - other, percent)
  const [p50, p95] = [of(50), of(95)]
  return p50 === null || p95 === null ? null : { p50, p95 }
}

function compare(one: bigint, other: bigint): number {
  return one < other ? -1 : one > other ? 1 : 0
}

function largest(values: readonly (bigint | null)[]): bigint | null {
  return values.reduce(
    (most, value) => (value !== null && (most === null || value > most) ? value : most),
    null,
  )
}
