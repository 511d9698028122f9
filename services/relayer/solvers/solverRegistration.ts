import type { Hex } from '../../../src/event/bridgeEvent.ts'

/** A directed pair of tokens. Addresses in lower case. */
export type Route = { sourceChainId: number; destChainId: number; tokenA: Hex; tokenB: Hex }

/** What a solver holds of a token, in base units. */
export type Balance = { chainId: number; token: Hex; balance: bigint }

/** A solver as it registered itself, with balances from the chains. */
export type SolverRegistration = {
  solver: Hex
  routes: Route[]
  balances: Balance[]
  registeredAt: Date
  lastSeen: Date
}

/** How long a registration counts as live, as a PostgreSQL interval. */
export const LIVE_FOR = '10 minutes'
