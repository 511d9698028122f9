import type { Market, Scenario } from './marketScenario.ts'
import { type Cast, type Outcome, playAuction } from './playAuction.ts'
import { honestRelayer, honestSolver, type Player } from './players.ts'

/** The adversary's accounts, after the honest solvers'. The first plays honestly in the baseline. */
type Accounts = { first: number; second: number }

/** A strategy of an adversary. */
export type Strategy = {
  name: string
  /** The players; honest solvers, with accounts from 0 up, are given. */
  cast(honest: Player[], accounts: Accounts, market: Market): Cast
}

/** An adversary with all its strategies; each cell uses the most profitable. */
export type Family = {
  name: string
  strategies: Strategy[]
  /** How many of its two accounts bid honestly in the baseline; 1 by default. */
  partners?: 0 | 1 | 2
  /** Standard deviation of a day's price change; the usual one by default. */
  dailyVolatility?: number
  /** What an outcome is worth to it; default: its accounts' profits. */
  utility?(outcome: Outcome, accounts: Accounts, market: Market, strategy: string): number
}

/** The profit of an adversary's solvers. */
export function solverUtility({ profits }: Outcome, { first, second }: Accounts): number {
  return (profits[first] ?? 0) + (profits[second] ?? 0)
}

/** The same for an adversary that also receives the fees. */
export function treasuryUtility(outcome: Outcome, accounts: Accounts, market: Market): number {
  return solverUtility(outcome, accounts) + outcome.auction.fee * market.rateAt(outcome.lasted)
}

/** Everybody plays as documented, including the adversary's accounts. */
export function honestCast(scenario: Scenario, market: Market, partners: number): Cast {
  const solvers: Player[] = []
  for (let account = 0; account < scenario.honest + partners; account += 1) {
    solvers.push(honestSolver(account, market))
  }
  return { solvers, relayer: honestRelayer }
}

/** Plays one auction with a strategy. */
export function playStrategy(scenario: Scenario, market: Market, strategy: Strategy): Outcome {
  const accounts = accountsOf(scenario)
  const honest = honestCast(scenario, market, 0).solvers
  return playAuction(scenario, market, strategy.cast(honest, accounts, market))
}

export function accountsOf({ honest }: Scenario): Accounts {
  return { first: honest, second: honest + 1 }
}
