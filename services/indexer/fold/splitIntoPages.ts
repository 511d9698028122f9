import type { Hex } from '../../../src/event/bridgeEvent.ts'
import type { ChainEvent } from '../../../src/event/chainEvent.ts'
import { decodeContractLog } from '../../../src/event/decodeContractLog.ts'
import type { ChainConfig } from '../../config/chainConfig.ts'
import type { CheckedRange } from '../history/fetchCheckedRange.ts'

/** Consecutive events of whole blocks, in chain order. */
export type EventPage = {
  events: ChainEvent[]
  /** Last block covered by this page. */
  blockNumber: number
  blockTimestamp: number
}

type Source = Pick<ChainConfig, 'chainId' | 'bridge' | 'vault'>

/**
 * Splits a range's events into pages of at most `limit` events, or of one block that has more. The last page ends where
 * the range ends, and may be empty.
 *
 * @throws LogLayoutError for a log that doesn't match the contracts' ABI
 */
export function* splitIntoPages(
  source: Source,
  range: CheckedRange,
  limit: number,
): Generator<EventPage> {
  const events = eventsOf(source, range)
  let first = 0
  while (events.length - first > limit) {
    const next = endOfPage(events, first, limit)
    if (next === events.length) break
    const { blockNumber, blockTimestamp } = (events[next - 1] as ChainEvent).point
    yield { events: events.slice(first, next), blockNumber, blockTimestamp }
    first = next
  }
  yield {
    events: events.slice(first),
    blockNumber: range.to,
    blockTimestamp: range.end.timestamp,
  }
}

/** The index after the page that starts at `first`: the first event of a block, or the end of the events. */
function endOfPage(events: readonly ChainEvent[], first: number, limit: number): number {
  const blockAt = (index: number) => events[index]?.point.blockNumber
  let next = first + limit
  while (next > first && blockAt(next) === blockAt(next - 1)) next -= 1
  if (next > first) return next
  const block = blockAt(first)
  for (next = first; blockAt(next) === block; ) next += 1
  return next
}

function eventsOf(source: Source, { logs, blocks, transactions }: CheckedRange): ChainEvent[] {
  const times = new Map(blocks.map(({ hash, timestamp }) => [hash, timestamp]))
  const senders = new Map(transactions.map(({ hash, from }) => [hash, from]))
  const events: ChainEvent[] = []
  for (const log of logs) {
    const { blockNumber, blockHash, logIndex, transactionHash } = log
    const event = decodeContractLog(source, log, {
      chainId: source.chainId,
      blockNumber,
      blockHash,
      logIndex,
      transactionHash,
      // checkRangeConsistency made sure that both exist.
      blockTimestamp: times.get(blockHash) as number,
      transactionFrom: senders.get(transactionHash) as Hex,
    })
    if (event) events.push(event)
  }
  return events
}
