import type { LogPoint } from '../event/bridgeEvent.ts'
import type { SourceFacts } from '../intent/intentFacts.ts'
import { dayOf, hourOf } from './periods.ts'
import { insertRow, updateRow } from './rowChange.ts'
import { find, type Read } from './rowReader.ts'
import type { PairSenderDayRow, SenderDayRow } from './rowTypes.ts'
import type { Change } from './rowWrite.ts'
import { type PairDelta, updatePairStatistics } from './updatePairStatistics.ts'

/**
 * Counts an intent's creation for its pair, and its sender where it is new: to the pair and to the chain, this
 * hour and this day. A chain's blocks come in the order of their times, so the latest hour of a sender says it.
 */
export function countCreation(
  read: Read,
  intent: SourceFacts,
  point: LogPoint,
  delta: PairDelta,
): Change[] {
  const { sourceChainId, destChainId, tokenA, tokenB, sender } = intent
  const lastHour = hourOf(point.blockTimestamp)
  const now = { sourceChainId, day: dayOf(point.blockTimestamp), sender, created: 1, lastHour }
  const onChain = countIn(read, 'senderDay', now)
  const ofPair = countIn(read, 'pairSenderDay', { ...now, destChainId, tokenA, tokenB })
  const inDay = { senders: Number(ofPair.isNew), sendersOfChain: Number(onChain.isNew) }
  const inHour = {
    senders: Number(ofPair.isNewInHour),
    sendersOfChain: Number(onChain.isNewInHour),
  }
  return [
    onChain.change,
    ofPair.change,
    ...updatePairStatistics(read, intent, point, { ...delta, ...inDay }, { ...delta, ...inHour }),
  ]
}

type Counted = { change: Change; isNew: boolean; isNewInHour: boolean }

function countIn<Table extends 'senderDay' | 'pairSenderDay'>(
  read: Read,
  table: Table,
  first: Table extends 'senderDay' ? SenderDayRow : PairSenderDayRow,
): Counted {
  const known = find(read, table, first as never)
  if (!known) return { change: insertRow(table, first as never), isNew: true, isNewInHour: true }
  const { lastHour } = first
  const row = { ...known, created: known.created + 1, lastHour }
  return {
    change: updateRow(table, known, row as never),
    isNew: false,
    isNewInHour: known.lastHour !== lastHour,
  }
}
