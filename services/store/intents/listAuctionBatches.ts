import { sql } from 'kysely'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import type { ChainHeads } from '../chains/readChainStates.ts'
import type { Filters } from '../database/filterSql.ts'
import type { Db } from '../database/openDatabase.ts'
import { type PairFilter, pairCondition } from '../pairs/pairFilter.ts'

/** Open auctions of one chain pair and token pair. Amounts in base units, times in unix seconds. */
export type Batch = {
  sourceChainId: number
  destChainId: number
  tokenA: Hex
  tokenB: Hex
  /** Running auctions, and the anchored ones among them, which can be bid on. */
  count: number
  anchored: number
  /** Σ amountA, Σ expectedAmountB, Σ reward (in tokenA). */
  totalAmountA: bigint
  totalExpectedAmountB: bigint
  totalReward: bigint
  /** Σ of the best bid, or of expectedAmountB without a bid: the amount to beat. */
  totalBestB: bigint
  smallestAmountA: bigint
  largestAmountA: bigint
  /** When the first and the last of the auctions close. */
  firstEndTime: number
  lastEndTime: number
}

/** Limit on batches. Pairs are few, since only listed tokens can be tokenA. */
const LIMIT = 1_000

/**
 * Lists the running auctions at the chains' indexed heads by pair, largest count first, without senders or recipients.
 */
export async function listAuctionBatches(
  db: Db,
  filter: Filters<PairFilter>,
  heads: ChainHeads,
): Promise<Batch[]> {
  if (heads.size === 0) return []
  // Before its end time an intent is open, bidding or cancelled.
  const running = [...heads].map(
    ([chainId, { timestamp }]) =>
      sql`select * from cairn.intent as intent where intent.source_chain_id = ${chainId}::bigint
        and intent.end_time > ${timestamp}::bigint and intent.phase in ('open', 'bidding')`,
  )
  const { rows } =
    await sql<Batch>`select source_chain_id as "sourceChainId", dest_chain_id as "destChainId",
      token_a as "tokenA", token_b as "tokenB", count(*) as count, count(fee_bps) as anchored,
      sum(amount_a) as "totalAmountA", sum(expected_amount_b) as "totalExpectedAmountB",
      sum(reward) as "totalReward", sum(coalesce(best_bid, expected_amount_b)) as "totalBestB",
      min(amount_a) as "smallestAmountA", max(amount_a) as "largestAmountA",
      min(end_time) as "firstEndTime", max(end_time) as "lastEndTime"
    from (${sql.join(running, sql` union all `)}) as intent
    where ${pairCondition(filter, 'intent')}
    group by 1, 2, 3, 4 order by count(*) desc, 1, 2, 3, 4 limit ${LIMIT}`.execute(db)
  return rows
}
