import type { Clocks } from '../../core/intent/chainClocks.ts'
import {
  findSettledDelivery,
  findValidDelivery,
  isByWinner,
} from '../../core/intent/findWinnersDelivery.ts'
import { deriveStatus, type Status } from '../../core/intent/status.ts'
import type { Delivery, SourceFacts } from '../../src/intent/intentFacts.ts'
import type { EventRow } from '../../src/projection/rowTypes.ts'
import type { Book } from './replayPeriod.ts'

/** `undecided` if it depends on its destination chain and that isn't reported. */
export type ReportedStatus = Status | 'undecided'

/** One intent over a period. */
export type IntentRecord = {
  /** The chain's name. */
  chain: string
  before: SourceFacts | null
  after: SourceFacts
  /** Null before its creation. */
  statusBefore: ReportedStatus | null
  status: ReportedStatus
  /** The delivery that counts: it has been settled, or may still be. Null if there is none. */
  delivery: Delivery | null
  /** Its events within the period, on both chains, by time. */
  events: readonly EventRow[]
}

/** All intents with money in escrow at any time in the period, by date of their end or creation. */
export function composeIntentRecords(books: readonly Book[]): IntentRecord[] {
  const openingClocks = readClocks(books, 'opening')
  const closingClocks = readClocks(books, 'closing')
  const deliveries = groupByIntent(books.flatMap(({ deliveries: all }) => all))
  const events = groupByIntent(books.flatMap(({ events: all }) => all))
  const openingBlocks = new Map(
    books.map(({ chain, opening }) => [chain.chainId, opening?.block.number ?? -1]),
  )
  const records = books.flatMap(({ chain, intents }) =>
    intents.map(({ before, after }) => {
      const name = toKey(after)
      const all = (deliveries.get(name) ?? []).filter((delivery) => isByWinner(after, delivery))
      const earlier = all.filter(({ destChainId, solvedBlock }) => {
        return solvedBlock <= (openingBlocks.get(destChainId) ?? -1)
      })
      const known = { source: after, deliveries: all }
      const status = reportStatus(after, all, closingClocks)
      return {
        chain: chain.name,
        before,
        after,
        statusBefore: before && reportStatus(before, earlier, openingClocks),
        status,
        delivery: status === 'settled' ? findValidDelivery(known) : findSettledDelivery(known),
        events: (events.get(name) ?? []).toSorted(byTime),
      }
    }),
  )
  return records.sort(byDate)
}

/** When an intent was settled, cancelled or refunded; null if none. */
export function findEnd({ settledAt, cancelledAt, refundedAt }: SourceFacts): number | null {
  return settledAt ?? cancelledAt ?? refundedAt
}

function reportStatus(
  source: SourceFacts,
  deliveries: readonly Delivery[],
  clocks: Clocks,
): ReportedStatus {
  if (source.phase === 'deposited' && !clocks.has(source.destChainId)) return 'undecided'
  return deriveStatus({ source, deliveries }, clocks).status
}

function readClocks(books: readonly Book[], end: 'opening' | 'closing'): Clocks {
  return new Map(
    books.flatMap(({ chain, [end]: moment }) => {
      if (!moment) return []
      const { number: blockNumber, timestamp } = moment.block
      return [[chain.chainId, { blockNumber, timestamp }]]
    }),
  )
}

type OfIntent = { sourceChainId: number | null; intentId: bigint | null }

function groupByIntent<Row extends OfIntent>(rows: readonly Row[]): Map<string, Row[]> {
  const groups = new Map<string, Row[]>()
  for (const row of rows) {
    const group = groups.get(toKey(row))
    if (group) group.push(row)
    else groups.set(toKey(row), [row])
  }
  return groups
}

function toKey({ sourceChainId, intentId }: OfIntent): string {
  return `${sourceChainId}/${intentId}`
}

function byDate(a: IntentRecord, b: IntentRecord): number {
  const dates = (findEnd(a.after) ?? a.after.createdAt) - (findEnd(b.after) ?? b.after.createdAt)
  if (dates !== 0) return dates
  return a.after.intentId < b.after.intentId ? -1 : 1
}

function byTime(a: EventRow, b: EventRow): number {
  const times = a.blockTimestamp - b.blockTimestamp
  return times || a.chainId - b.chainId || a.blockNumber - b.blockNumber || a.logIndex - b.logIndex
}
