import { sql } from 'kysely'
import { everyPart, type Filters } from '../database/filterSql.ts'
import type { Db } from '../database/openDatabase.ts'
import {
  INTENT_COUNTS,
  type IntentCounts,
  type PairDayFilter,
  pairCondition,
} from './pairFilter.ts'

/** Counts of one UTC day over all pairs; `day` in days since 1970-01-01. */
export type DayTotal = IntentCounts & { day: number }

const LIMIT = 1_000

/** Lists counts by day over the selected days and pairs, newest first, without days that have no event. */
export async function listDayTotals(db: Db, filter: Filters<PairDayFilter>): Promise<DayTotal[]> {
  const { rows } = await sql<DayTotal>`select day, ${INTENT_COUNTS}
    from cairn.pair_day as pair_day where ${pairCondition(filter)}
    group by day order by day desc limit ${sql.lit(LIMIT)}`.execute(db)
  return rows
}

/** A pair's filter fields, except its source chain. */
const PAIR_FIELDS = [
  'destChainId',
  'destChainIdIn',
  'tokenA',
  'tokenAIn',
  'tokenB',
  'tokenBIn',
] as const

/** Counts the distinct senders of intents on the selected days and pairs. */
export async function countSenders(db: Db, filters: Filters<PairDayFilter>): Promise<number> {
  const usesPair = everyPart(filters).some((filter) =>
    PAIR_FIELDS.some((name) => filter[name] !== undefined),
  )
  // The smaller table has each of a chain's senders once a day.
  const table = usesPair ? 'cairn.pair_sender_day' : 'cairn.sender_day'
  const where = pairCondition(filters, 'pair_sender_day')
  const { rows } = await sql<{ count: number }>`select count(distinct sender) as count
    from ${sql.raw(table)} as pair_sender_day where ${where}`.execute(db)
  return rows[0]?.count ?? 0
}
