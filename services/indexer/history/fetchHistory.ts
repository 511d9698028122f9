import { mapConcurrently } from '../../chain/history/mapConcurrently.ts'
import { createRangeSizer, type RangeSizer } from '../../chain/history/rangeSizer.ts'
import type { BlockRange } from '../../chain/history/readLogs.ts'
import { InconsistentRangeError } from './checkRangeConsistency.ts'
import { type CheckedRange, fetchCheckedRange } from './fetchCheckedRange.ts'
import type { HistorySource } from './historySource.ts'

/** Ranges under way at once: together with the size of an answer this bounds the memory. */
const rangesAhead = 3
/** Blocks of the first ranges: nobody knows yet how much is in them. */
const firstWidth = 16

/**
 * All that the providers give for a stretch of final history, checked, in the chain's order.
 *
 * @param notBefore unix seconds of the block below it
 * @throws RpcError, UnusableAnswerError and InconsistentRangeError when no provider is left that gives consistent answers.
 */
export async function* fetchHistory(
  source: HistorySource,
  range: BlockRange,
  notBefore: number,
): AsyncGenerator<CheckedRange> {
  const style = { byBlock: false, areReceiptsOffered: true }
  const state = { sizer: createRangeSizer({ first: firstWidth }), style }
  const found = mapConcurrently(cut(range, state.sizer), rangesAhead, (one) =>
    fetchCheckedRange(source, one, state),
  )
  let latest = notBefore
  for await (const parts of found) {
    for (const part of parts) {
      expectLater(part, latest)
      latest = part.end.timestamp
      yield part
    }
  }
}

/** What an earlier day's rows are, nobody holds any more when a later block was folded. */
function expectLater({ from, blocks, end }: CheckedRange, latest: number): void {
  const { timestamp } = blocks[0] ?? end
  if (timestamp < latest)
    throw new InconsistentRangeError(
      `the blocks from ${from} on are of ${timestamp}, earlier than those below them (${latest}): one of the times is false, add another provider`,
    )
}

/** Cuts a range into pieces of the width that the sizer recommends at that moment. */
function* cut({ from: first, to: last }: BlockRange, sizer: RangeSizer): Generator<BlockRange> {
  for (let from = first; from <= last; ) {
    const to = Math.min(from + sizer.width() - 1, last)
    yield { from, to }
    from = to + 1
  }
}
