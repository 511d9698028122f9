import { sql } from 'kysely'
import type { Db } from '../database/database.ts'
import type { Filters } from '../database/filterSql.ts'
import { type PairDayFilter, pairCondition } from './pairFilter.ts'

/** Counts of one UTC day over all pairs; `day` in days since 1970-01-01. */
export type DayTotal = {
  day: number
  created: number
  bids: number
  completed: number
  cancelled: number
  expired: number
  failed: number
}

/** Days answered at most. */
const MOST = 1_000

/** Counts by day over the days and pairs that the filter selects, newest first; days without events are left out. */
export async function listDayTotals(db: Db, filter: Filters<PairDayFilter>): Promise<DayTotal[]> {
  const where = pairCondition(filter)
  const { rows } = await sql<DayTotal>`
    select day, sum(created)::bigint as created, sum(bids)::bigint as bids,
      sum(completed)::bigint as completed, sum(cancelled)::bigint as cancelled,
      sum(expired)::bigint as expired, sum(failed)::bigint as failed
    from cairn.pair_day as pair_day where ${where} group by day order by day desc limit ${sql.lit(MOST)}`.execute(
    db,
  )
  return rows
}
