import type { Hex, LogPoint } from '../event/bridgeEvent.ts'
import { applyCountsDelta, type CountsDelta } from './applyCountsDelta.ts'
import { NO_TIMES } from './completionTimes.ts'
import { dayOf, hourOf } from './periods.ts'
import { amendRow } from './rowChange.ts'
import type { Read } from './rowReader.ts'
import type { PairCounts } from './rowTypes.ts'
import type { Change } from './rowWrite.ts'

/** A directed pair; an intent is of one. */
export type PairOf = { sourceChainId: number; destChainId: number; tokenA: Hex; tokenB: Hex }

/** What an event adds to its pair's hour and day. */
export type PairDelta = CountsDelta<PairCounts>

/** Counts an event of an intent for its pair, in the UTC hour and on the UTC day of the event's block. */
export function updatePairStatistics(
  read: Read,
  pair: PairOf,
  point: LogPoint,
  inDay: PairDelta,
  inHour: PairDelta = inDay,
): Change[] {
  const { sourceChainId, destChainId, tokenA, tokenB } = pair
  const key = { sourceChainId, destChainId, tokenA, tokenB }
  const day = { ...key, day: dayOf(point.blockTimestamp) }
  const hour = { ...key, hour: hourOf(point.blockTimestamp) }
  return [
    amendRow(read, 'pairDay', day, NOTHING, (row) => applyCountsDelta(row, inDay)),
    amendRow(read, 'pairHour', hour, NOTHING, (row) => applyCountsDelta(row, inHour)),
  ]
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
