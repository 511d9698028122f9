import type { Hex, LogPoint } from '../event/bridgeEvent.ts'
import { saturatingAdd } from '../money/saturatingAdd.ts'
import type { Change } from './change.ts'
import { NO_TIMES, withTime } from './completionTimes.ts'
import { dayOf, hourOf } from './periods.ts'
import type { Asking } from './read.ts'
import { amendRow } from './rowChange.ts'
import type { PairCounts } from './rows.ts'

/** A directed pair; an intent is of one. */
export type PairOf = { sourceChainId: number; destChainId: number; tokenA: Hex; tokenB: Hex }

/** What an event adds to its pair's hour and day. */
export type PairDelta = Partial<Omit<PairCounts, 'completionTimes'>> & {
  /** Seconds from creation to settlement of an intent that is now completed. */
  completionSeconds?: number
}

/** Counts an event of an intent for its pair, in the UTC hour and on the UTC day of the event's block. */
export function* countForPair(
  pair: PairOf,
  point: LogPoint,
  inDay: PairDelta,
  inHour: PairDelta = inDay,
): Asking<Change[]> {
  const { sourceChainId, destChainId, tokenA, tokenB } = pair
  const key = { sourceChainId, destChainId, tokenA, tokenB }
  const [day, hour] = [dayOf(point.blockTimestamp), hourOf(point.blockTimestamp)]
  return [
    yield* amendRow('pairDay', { ...key, day, ...NOTHING }, (row) => add(row, inDay)),
    yield* amendRow('pairHour', { ...key, hour, ...NOTHING }, (row) => add(row, inHour)),
  ]
}

function add<Row extends PairCounts>(row: Row, delta: PairDelta): Row {
  const { completionSeconds } = delta
  return {
    ...row,
    created: row.created + (delta.created ?? 0),
    bids: row.bids + (delta.bids ?? 0),
    completed: row.completed + (delta.completed ?? 0),
    cancelled: row.cancelled + (delta.cancelled ?? 0),
    expired: row.expired + (delta.expired ?? 0),
    failed: row.failed + (delta.failed ?? 0),
    createdVolumeA: saturatingAdd(row.createdVolumeA, delta.createdVolumeA ?? 0n),
    completedVolumeA: saturatingAdd(row.completedVolumeA, delta.completedVolumeA ?? 0n),
    completedVolumeB: saturatingAdd(row.completedVolumeB, delta.completedVolumeB ?? 0n),
    fees: saturatingAdd(row.fees, delta.fees ?? 0n),
    rewards: saturatingAdd(row.rewards, delta.rewards ?? 0n),
    senders: row.senders + (delta.senders ?? 0),
    sendersOfChain: row.sendersOfChain + (delta.sendersOfChain ?? 0),
    completionTimes:
      completionSeconds === undefined
        ? row.completionTimes
        : withTime(row.completionTimes, completionSeconds),
  }
}

const NOTHING: PairCounts = {
  created: 0,
  bids: 0,
  completed: 0,
  cancelled: 0,
  expired: 0,
  failed: 0,
  createdVolumeA: 0n,
  completedVolumeA: 0n,
  completedVolumeB: 0n,
  fees: 0n,
  rewards: 0n,
  senders: 0,
  sendersOfChain: 0,
  completionTimes: NO_TIMES,
}
