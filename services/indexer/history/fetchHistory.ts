import { mapConcurrently } from '../../chain/history/mapConcurrently.ts'
import { createRangeSizer, type RangeSizer } from '../../chain/history/rangeSizer.ts'
import type { BlockRange } from '../../chain/history/readLogs.ts'
import { InconsistentRangeError } from './checkRangeConsistency.ts'
import { type CheckedRange, fetchCheckedRange } from './fetchCheckedRange.ts'
import type { HistorySource } from './historySource.ts'

/** Concurrent ranges. Together with the size of an answer, this limits memory. */
const CONCURRENT_RANGES = 3
/** Blocks of the first ranges, whose log density is unknown. */
const FIRST_WIDTH = 16

/**
 * Fetches and checks a range of final history, in chain order.
 *
 * @param notBefore unix seconds of the block before the range
 * @throws RpcError, UnusableAnswerError or InconsistentRangeError when no provider is consistent
 */
export async function* fetchHistory(
  source: HistorySource,
  range: BlockRange,
  notBefore: number,
): AsyncGenerator<CheckedRange> {
  const style = {
    byBlock: false,
    isDense: false,
    areReceiptsOffered: true,
    areReceiptsProven: true,
  }
  const state = { sizer: createRangeSizer({ first: FIRST_WIDTH }), style }
  const fetched = mapConcurrently(split(range, state.sizer), CONCURRENT_RANGES, (part) =>
    fetchCheckedRange(source, part, state),
  )
  let latest = notBefore
  for await (const parts of fetched) {
    for (const part of parts) {
      checkNotBefore(part, latest)
      latest = part.end.timestamp
      yield part
    }
  }
}

/** The fold has evicted the rows of earlier days, so block times must never decrease. */
function checkNotBefore({ from, blocks, end }: CheckedRange, latest: number): void {
  const { timestamp } = blocks[0] ?? end
  if (timestamp < latest)
    throw new InconsistentRangeError(
      `the blocks from ${from} on have time ${timestamp}, before the previous block's ${latest}: one of the times is false, add another provider`,
    )
}

/** Splits a range into parts whose width follows the sizer. */
function* split({ from: first, to: last }: BlockRange, sizer: RangeSizer): Generator<BlockRange> {
  for (let from = first; from <= last; ) {
    const to = Math.min(from + sizer.width() - 1, last)
    yield { from, to }
    from = to + 1
  }
}
