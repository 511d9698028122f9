import { sql } from 'kysely'
import type { Db } from '../database/database.ts'
import { type PairDayFilter, pairConditions } from '../intents/pairFilter.ts'

/** How many accounts created intents of the pairs and on the days that the filter selects, each once. */
export async function countSenders(db: Db, filter: PairDayFilter): Promise<number> {
  const { destChainId, tokenA, tokenB } = filter
  const isOfPair = [destChainId, tokenA, tokenB].some((part) => part !== undefined)
  // The smaller table has every sender of a chain once a day.
  const table = isOfPair ? 'cairn.pair_sender_day' : 'cairn.sender_day'
  const where = sql.join([sql`true`, ...pairConditions(filter, 'pair_sender_day')], sql` and `)
  const { rows } = await sql<{ count: number }>`select count(distinct sender) as count
    from ${sql.raw(table)} as pair_sender_day where ${where}`.execute(db)
  return rows[0]?.count ?? 0
}
