import type { IntentFilter } from './intentFilter.ts'
import type { IntentOrder } from './intentOrder.ts'
import { intersectFilters } from './intersectFilters.ts'
import type { IntentFilters } from './selectIntents.ts'

/**
 * The filters of a list in an order: by fee or time of settlement it has only intents that have one. As a
 * range rather than a test for null, so that the order's index answers it.
 */
export function settledOnly(filters: IntentFilters, { by }: IntentOrder): IntentFilters {
  if (by !== 'fee' && by !== 'settledAt') return filters
  const settled: IntentFilter = by === 'fee' ? { fee: { from: 0n } } : { settledAt: { from: 0 } }
  return [filters].flat().flatMap((filter: IntentFilter) => intersectFilters(filter, settled) ?? [])
}
