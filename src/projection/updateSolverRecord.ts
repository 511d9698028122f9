import type { Hex, LogPoint } from '../event/bridgeEvent.ts'
import { saturatingAdd } from '../money/saturatingAdd.ts'
import { amendRow } from './rowChange.ts'
import type { Read } from './rowReader.ts'
import type { SolverRecordRow, SolverStakeRow, SolverVolumeRow } from './rowTypes.ts'
import type { Change } from './rowWrite.ts'

/** A count of a solver's record. */
export type SolverCount = 'bids' | 'wins' | 'deliveries' | 'settlements' | 'failures' | 'noShows'

/** What a solver does itself; settlements and forfeits are done to it by anyone. */
const OWN_ACTS: ReadonlySet<SolverCount> = new Set(['bids', 'wins', 'deliveries'])

/** Adds one to a count of a solver on the event's chain; an act of its own also makes it seen. */
export function countSolver(read: Read, solver: Hex, count: SolverCount, point: LogPoint): Change {
  return amendRow(
    read,
    'solverRecord',
    { chainId: point.chainId, solver },
    blankRecord(point),
    (row) => ({
      ...row,
      [count]: row[count] + 1,
      lastSeen: OWN_ACTS.has(count) ? point.blockTimestamp : row.lastSeen,
    }),
  )
}

/** A solver was seen by an act that nothing counts: its key, its stake. */
export function seeSolver(read: Read, solver: Hex, point: LogPoint): Change {
  return amendRow(
    read,
    'solverRecord',
    { chainId: point.chainId, solver },
    blankRecord(point),
    (row) => ({
      ...row,
      lastSeen: point.blockTimestamp,
    }),
  )
}

function blankRecord({ blockTimestamp }: LogPoint): Omit<SolverRecordRow, 'chainId' | 'solver'> {
  return {
    bids: 0,
    wins: 0,
    deliveries: 0,
    settlements: 0,
    failures: 0,
    noShows: 0,
    firstSeen: blockTimestamp,
    lastSeen: blockTimestamp,
  }
}

/** A kind of volume of a solver. */
export type VolumeKind = 'delivered' | 'paidOut' | 'forfeited'

const NO_VOLUME = { delivered: 0n, paidOut: 0n, forfeited: 0n }

/** Adds an amount of a token, in base units, to what a solver moved on a chain. */
export function addVolume(
  read: Read,
  { chainId, solver, token }: Pick<SolverVolumeRow, 'chainId' | 'solver' | 'token'>,
  kind: VolumeKind,
  amount: bigint,
): Change {
  return amendRow(read, 'solverVolume', { chainId, solver, token }, NO_VOLUME, (row) => ({
    ...row,
    [kind]: saturatingAdd(row[kind], amount),
  }))
}

/** What changes of a solver's stake in a token, in base units. */
export type StakeDelta = Partial<Pick<SolverStakeRow, 'staked' | 'locked'>>

const NO_STAKE = { staked: 0n, locked: 0n }

/** Books a change of what backs a solver's bids. */
export function amendStake(
  read: Read,
  { chainId, solver, token }: Pick<SolverStakeRow, 'chainId' | 'solver' | 'token'>,
  { staked = 0n, locked = 0n }: StakeDelta,
): Change {
  return amendRow(read, 'solverStake', { chainId, solver, token }, NO_STAKE, (row) => ({
    ...row,
    staked: row.staked + staked,
    locked: row.locked + locked,
  }))
}
