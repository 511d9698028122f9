import type { Hex } from '../../../src/event/bridgeEvent.ts'

/** A solver's counts over all chains; times in unix seconds. */
export type SolverTotals = {
  solver: Hex
  bids: number
  wins: number
  deliveries: number
  settlements: number
  /** Locks lost as a winner that didn't deliver, and as a best bidder that didn't pick up. */
  failures: number
  noShows: number
  firstSeen: number
  lastSeen: number
}

/** Columns of `SolverTotals` over rows of `cairn.solver_record` aliased `record`, grouped by solver. */
export const SOLVER_TOTALS = `record.solver as solver, sum(record.bids) as bids,
  sum(record.wins) as wins, sum(record.deliveries) as deliveries,
  sum(record.settlements) as settlements, sum(record.failures) as failures,
  sum(record.no_shows) as "noShows",
  min(record.first_seen) as "firstSeen", max(record.last_seen) as "lastSeen"`
