import { sql } from 'kysely'
import type { Db } from '../database/database.ts'
import type { Filters } from '../database/filterSql.ts'
import { type PairDayFilter, pairCondition } from '../pairs/pairFilter.ts'

/** A source chain's totals. Counts only: volumes of different tokens don't add up. */
type ChainTotal = {
  chainId: number
  created: number
  bids: number
  completed: number
  cancelled: number
  expired: number
  failed: number
  pairs: number
}

/** Counts by source chain over the days and pairs that the filter selects, by chain id. */
export async function listChainTotals(
  db: Db,
  filter: Filters<PairDayFilter>,
): Promise<ChainTotal[]> {
  const where = pairCondition(filter)
  const { rows } = await sql<ChainTotal>`
    select source_chain_id as "chainId", sum(created) as created, sum(bids) as bids,
      sum(completed) as completed, sum(cancelled) as cancelled, sum(expired) as expired,
      sum(failed) as failed, count(distinct (dest_chain_id, token_a, token_b)) as pairs
    from cairn.pair_day as pair_day where ${where} group by 1 order by 1`.execute(db)
  return rows
}
