import type { Hex, LogPoint } from '../event/bridgeEvent.ts'
import type { SourceFacts } from '../intent/intentFacts.ts'
import { applyCountsDelta, type CountsDelta } from './applyCountsDelta.ts'
import { NO_TIMES } from './completionTimes.ts'
import { dayOf } from './periods.ts'
import { amendRow } from './rowChange.ts'
import type { Read } from './rowReader.ts'
import type { SolverDayRow } from './rowTypes.ts'
import type { Change } from './rowWrite.ts'

/** What an event adds to a solver's day. */
export type SolverDelta = CountsDelta<Omit<SolverDayRow, 'chainId' | 'solver' | 'token' | 'day'>>

/**
 * Counts what a solver did, or what befell it, on the event's chain and the UTC day of its block.
 *
 * @param of the intent, whose tokenA it is then, or the token that was delivered
 */
export function updateSolverDay(
  read: Read,
  of: SourceFacts | Hex,
  solver: Hex,
  { chainId, blockTimestamp }: LogPoint,
  delta: SolverDelta,
): Change {
  const token = typeof of === 'string' ? of : of.tokenA
  const key = { chainId, solver, token, day: dayOf(blockTimestamp) }
  return amendRow(read, 'solverDay', key, NOTHING, (row) => applyCountsDelta(row, delta))
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
