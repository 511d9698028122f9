import type { LogPoint } from '../event/bridgeEvent.ts'
import type { SourceFacts } from '../intent/facts.ts'
import { saturatingAdd } from '../money/saturatingAdd.ts'
import type { Change } from './change.ts'
import type { Asking } from './read.ts'
import { amendRow } from './rowChange.ts'
import type { PairDayRow } from './rows.ts'

const SECONDS_A_DAY = 86_400

/** What an event adds to its pair's day. */
export type PairDayDelta = Partial<
  Omit<PairDayRow, 'sourceChainId' | 'destChainId' | 'tokenA' | 'tokenB' | 'day'>
>

/** Counts an event of an intent on its pair and the UTC day of the event's block. */
export function amendPairDay(
  intent: SourceFacts,
  point: LogPoint,
  delta: PairDayDelta,
): Asking<Change> {
  const day = Math.floor(point.blockTimestamp / SECONDS_A_DAY)
  return amendRow('pairDay', blankPairDay(intent, day), (row) => ({
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
  }))
}

function blankPairDay(intent: SourceFacts, day: number): PairDayRow {
  return {
    sourceChainId: intent.sourceChainId,
    destChainId: intent.destChainId,
    tokenA: intent.tokenA,
    tokenB: intent.tokenB,
    day,
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
  }
}
