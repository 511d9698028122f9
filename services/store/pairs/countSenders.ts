import { sql } from 'kysely'
import type { Db } from '../database/database.ts'
import { everyPart, type Filters } from '../database/filterSql.ts'
import { type PairDayFilter, pairCondition } from './pairFilter.ts'

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
