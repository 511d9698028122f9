import type { Market, Scenario } from './market.ts'
import { type Cast, type Outcome, play } from './play.ts'
import { honestRelayer, honestSolver, type Player } from './players.ts'

/** The adversary's accounts behind the honest solvers: the first plays honestly in the baseline. */
type Accounts = { first: number; second: number }

/** One way for an adversary to play. */
export type Strategy = {
  name: string
  /** The cast; honest solvers are given, with accounts from 0 up. */
  cast(honest: Player[], accounts: Accounts, market: Market): Cast
}

/** An adversary with all its ways to play, of which each cell takes the most profitable. */
export type Family = {
  name: string
  strategies: Strategy[]
  /** How many of its two accounts bid honestly in the baseline; 1 by default. */
  partners?: 0 | 1 | 2
  /** Standard deviation of a day's price change; the usual one by default. */
  dailyVolatility?: number
  /** What an outcome is worth to it; its accounts' profits by default. */
  utility?(outcome: Outcome, accounts: Accounts, market: Market, strategy: string): number
}

/** What an adversary's solvers earned. */
export function solverUtility({ profits }: Outcome, { first, second }: Accounts): number {
  return (profits[first] ?? 0) + (profits[second] ?? 0)
}

/** The same, for somebody who gets the fees too. */
export function treasuryUtility(outcome: Outcome, accounts: Accounts, market: Market): number {
  return solverUtility(outcome, accounts) + outcome.auction.fee * market.rateAt(outcome.lasted)
}

/** Everybody plays as the documentation says, the adversary's accounts with them. */
export function honestCast(scenario: Scenario, market: Market, partners: number): Cast {
  const solvers: Player[] = []
  for (let account = 0; account < scenario.honest + partners; account += 1) {
    solvers.push(honestSolver(account, market))
  }
  return { solvers, relayer: honestRelayer }
}

/** Plays one auction with a strategy in it. */
export function playStrategy(scenario: Scenario, market: Market, strategy: Strategy): Outcome {
  const accounts = accountsOf(scenario)
  const honest = honestCast(scenario, market, 0).solvers
  return play(scenario, market, strategy.cast(honest, accounts, market))
}

export function accountsOf({ honest }: Scenario): Accounts {
  return { first: honest, second: honest + 1 }
}
