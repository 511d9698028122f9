import { status } from '../../../core/intent/status.ts'
import type { ChainHeads } from '../chains/chainHeads.ts'
import type { IntentFilter, Range } from '../intents/intentFilter.ts'
import type { StoredIntent } from '../intents/storedIntent.ts'

/** Whether an intent, as it stood, passes what a filter says of things that change. The rest is up to SQL. */
export function passesFilter(
  stored: StoredIntent,
  filter: IntentFilter,
  heads: ChainHeads,
): boolean {
  const { source } = stored
  const { statuses, solver, bestBidder, feeBps, updatedAt } = filter
  return (
    (solver === undefined || source.solver === solver) &&
    (bestBidder === undefined || source.bestBidder === bestBidder) &&
    (feeBps === undefined || source.feeBps === feeBps) &&
    isIn(source.updatedAt, updatedAt) &&
    (statuses === undefined || statuses.includes(status(stored, heads).status))
  )
}

/** Whether a filter asks for anything that changes in an intent's life. */
export function asksForChange({
  statuses,
  solver,
  bestBidder,
  feeBps,
  updatedAt,
}: IntentFilter): boolean {
  return [statuses, solver, bestBidder, feeBps, updatedAt].some((wanted) => wanted !== undefined)
}

function isIn(value: number, range: Range<number> | undefined): boolean {
  const { from = Number.NEGATIVE_INFINITY, to = Number.POSITIVE_INFINITY } = range ?? {}
  return value >= from && value <= to
}
