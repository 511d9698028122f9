import type { Hex, LogPoint } from '../event/bridgeEvent.ts'
import type { SourceFacts } from '../intent/facts.ts'
import { saturatingAdd } from '../money/saturatingAdd.ts'
import type { Change } from './change.ts'
import { NO_TIMES, withTime } from './completionTimes.ts'
import { dayOf } from './periods.ts'
import type { Asking } from './read.ts'
import { amendRow } from './rowChange.ts'
import type { SolverDayRow } from './rows.ts'

/** What an event adds to a solver's day. */
export type SolverDelta = Partial<
  Omit<SolverDayRow, 'chainId' | 'solver' | 'token' | 'day' | 'completionTimes'>
> & {
  /** Seconds from creation to settlement of an intent that it was paid for. */
  completionSeconds?: number
}

/**
 * Counts what a solver did, or what befell it, on the event's chain and the UTC day of its block.
 *
 * @param of the intent, whose tokenA it is then, or the token that was delivered
 */
export function amendSolverDay(
  of: SourceFacts | Hex,
  solver: Hex,
  { chainId, blockTimestamp }: LogPoint,
  delta: SolverDelta,
): Asking<Change> {
  const token = typeof of === 'string' ? of : of.tokenA
  const blank = { chainId, solver, token, day: dayOf(blockTimestamp), ...NOTHING }
  const { completionSeconds } = delta
  return amendRow('solverDay', blank, (row) => ({
    ...row,
    bids: row.bids + (delta.bids ?? 0),
    wins: row.wins + (delta.wins ?? 0),
    settlements: row.settlements + (delta.settlements ?? 0),
    failures: row.failures + (delta.failures ?? 0),
    noShows: row.noShows + (delta.noShows ?? 0),
    deliveries: row.deliveries + (delta.deliveries ?? 0),
    delivered: saturatingAdd(row.delivered, delta.delivered ?? 0n),
    settledVolume: saturatingAdd(row.settledVolume, delta.settledVolume ?? 0n),
    fees: saturatingAdd(row.fees, delta.fees ?? 0n),
    paidOut: saturatingAdd(row.paidOut, delta.paidOut ?? 0n),
    forfeited: saturatingAdd(row.forfeited, delta.forfeited ?? 0n),
    completionTimes:
      completionSeconds === undefined
        ? row.completionTimes
        : withTime(row.completionTimes, completionSeconds),
  }))
}

const NOTHING = {
  bids: 0,
  wins: 0,
  settlements: 0,
  failures: 0,
  noShows: 0,
  deliveries: 0,
  delivered: 0n,
  settledVolume: 0n,
  fees: 0n,
  paidOut: 0n,
  forfeited: 0n,
  completionTimes: NO_TIMES,
}
