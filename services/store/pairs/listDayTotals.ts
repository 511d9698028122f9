import { sql } from 'kysely'
import type { Db } from '../database/database.ts'
import { everyPart, type Filters } from '../database/filterSql.ts'
import {
  INTENT_COUNTS,
  type IntentCounts,
  type PairDayFilter,
  pairCondition,
} from './pairFilter.ts'

/** Counts of one UTC day over all pairs; `day` in days since 1970-01-01. */
export type DayTotal = IntentCounts & { day: number }

/** Days answered at most. */
const MOST = 1_000

/** Counts by day over the days and pairs that the filter selects, newest first; days without events are left out. */
export async function listDayTotals(db: Db, filter: Filters<PairDayFilter>): Promise<DayTotal[]> {
  const { rows } = await sql<DayTotal>`select day, ${INTENT_COUNTS}
    from cairn.pair_day as pair_day where ${pairCondition(filter)}
    group by day order by day desc limit ${sql.lit(MOST)}`.execute(db)
  return rows
}

/** The fields of a pair's filter, apart from its source chain. */
const OF_PAIR = [
  'destChainId',
  'destChainIdIn',
  'tokenA',
  'tokenAIn',
  'tokenB',
  'tokenBIn',
] as const

/** How many accounts created intents of the pairs and on the days that the filter selects, each once. */
export async function countSenders(db: Db, filters: Filters<PairDayFilter>): Promise<number> {
  const isOfPair = everyPart(filters).some((filter) =>
    OF_PAIR.some((name) => filter[name] !== undefined),
  )
  // The smaller table has every sender of a chain once a day.
  const table = isOfPair ? 'cairn.pair_sender_day' : 'cairn.sender_day'
  const where = pairCondition(filters, 'pair_sender_day')
  const { rows } = await sql<{ count: number }>`select count(distinct sender) as count
    from ${sql.raw(table)} as pair_sender_day where ${where}`.execute(db)
  return rows[0]?.count ?? 0
}
