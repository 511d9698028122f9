import { mapConcurrently } from '../../chain/history/mapConcurrently.ts'
import { createRangePace, type RangePace } from '../../chain/history/rangePace.ts'
import type { BlockRange } from './blockRange.ts'
import { type CheckedRange, collectRange } from './collectRange.ts'
import type { FetchContext } from './fetchLogs.ts'

/** Ranges under way at once: together with the size of an answer this bounds the memory. */
const rangesAhead = 3

/**
 * All that the providers tell of a stretch of final history, checked, in the chain's order.
 *
 * @throws RpcError and InconsistentRangeError when no provider is left that gives consistent answers.
 */
export async function* collectHistory(
  context: FetchContext,
  range: BlockRange,
): AsyncGenerator<CheckedRange> {
  const pace = createRangePace()
  const collect = { ...context, pace, style: { wholeBlocks: false } }
  const found = mapConcurrently(ordersOf(range, pace), rangesAhead, (order) =>
    collectRange(collect, order),
  )
  for await (const parts of found) yield* parts
}

/** Cuts a range into pieces of the width that the pace recommends at that moment. */
function* ordersOf({ from: first, to: last }: BlockRange, pace: RangePace): Generator<BlockRange> {
  for (let from = first; from <= last; ) {
    const to = Math.min(from + pace.width() - 1, last)
    yield { from, to }
    from = to + 1
  }
}
