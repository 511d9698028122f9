import type { PairDayRow, PairHourRow } from '../../../src/projection/rowTypes.ts'
import type { Filters } from '../database/filterSql.ts'
import { type KeysetPage, tableList } from '../database/keysetPagination.ts'
import type { Db } from '../database/openDatabase.ts'
import { PAIR, type PairDayFilter, type PairHourFilter, pairCondition } from './pairFilter.ts'

/** The period of a pair's statistics. */
type Period = 'day' | 'hour'

type Row = { day: PairDayRow; hour: PairHourRow }
type Filter = { day: Filters<PairDayFilter>; hour: Filters<PairHourFilter> }

const DAYS = tableList('pairDays', 'pairDay', ['day', ...PAIR])
const HOURS = tableList('pairHours', 'pairHour', ['hour', ...PAIR])

/** Lists a page of pairs' days or hours, ordered by period, then pair. */
export function listPairStatsByPeriod<By extends Period>(
  db: Db,
  by: By,
  filter: Filter[By],
  page: KeysetPage,
): Promise<readonly Row[By][]>
export function listPairStatsByPeriod(
  db: Db,
  by: Period,
  filter: Filter[Period],
  page: KeysetPage,
) {
  const list = by === 'day' ? DAYS : HOURS
  return list.read(db, pairCondition(filter, `pair_${by}`), page)
}

/** A row's position in `listPairStatsByPeriod`. */
export function pairPeriodPlace(row: PairDayRow | PairHourRow): string[] {
  return 'day' in row ? DAYS.placeOf(row) : HOURS.placeOf(row)
}

/** Counts the rows that pass a filter. */
export function countPairPeriods<By extends Period>(
  db: Db,
  by: By,
  filter: Filter[By],
): Promise<number> {
  const list = by === 'day' ? DAYS : HOURS
  return list.count(db, pairCondition(filter, `pair_${by}`))
}
