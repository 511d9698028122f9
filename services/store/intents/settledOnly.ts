import type { IntentFilters } from './filterBranches.ts'
import type { IntentFilter } from './intentFilter.ts'
import type { IntentOrder } from './intentOrder.ts'
import { intersectFilters } from './intersectFilters.ts'

/**
 * Adds to the filters of a list what its order implies: by fee or settlement time, only settled intents. Uses a
 * range rather than a null test, so that the order's index serves it.
 */
export function settledOnly(filters: IntentFilters, { by }: IntentOrder): IntentFilters {
  if (by !== 'fee' && by !== 'settledAt') return filters
  const settled: IntentFilter = by === 'fee' ? { fee: { from: 0n } } : { settledAt: { from: 0 } }
  return [filters].flat().flatMap((filter: IntentFilter) => intersectFilters(filter, settled) ?? [])
}
