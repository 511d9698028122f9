import type { Filters } from '../database/filterSql.ts'
import { tableList } from '../database/keysetPagination.ts'
import { PAIR, type PairDayFilter, type PairHourFilter, pairCondition } from './pairFilter.ts'

/** Pairs' statistics by day, and by hour; ordered by period, then pair. */
export const PAIR_DAYS = tableList(
  'pairDays',
  'pairDay',
  ['day', ...PAIR],
  (filter: Filters<PairDayFilter>) => pairCondition(filter, 'pair_day'),
)
export const PAIR_HOURS = tableList(
  'pairHours',
  'pairHour',
  ['hour', ...PAIR],
  (filter: Filters<PairHourFilter>) => pairCondition(filter, 'pair_hour'),
)
