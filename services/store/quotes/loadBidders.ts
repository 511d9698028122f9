import { type RawBuilder, sql } from 'kysely'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import type { Db } from '../database/database.ts'
import type { Pair } from '../pairs/pairFilter.ts'
import { ofPair } from './loadCompletedIntents.ts'

/** A solver that bid recently. */
export type Bidder = { solver: Hex; auctions: number; lastBidAt: number }

type BidWindow = {
  /** Auctions created since then are looked at, unix seconds. */
  createdSince: number
  /** Bids since then count. */
  since: number
}

/** The latest auctions with a bid, the latest bids of each, and the solvers that bid in most of them. */
const AUCTIONS = 200
const BIDS = 20
const BIDDERS = 20

/** Who bid for a pair's intents recently. */
export async function loadBidders(db: Db, pair: Pair, window: BidWindow): Promise<Bidder[]> {
  const { rows } = await loadBiddersQuery(pair, window).execute(db)
  return rows
}

/** The statement of `loadBidders`. */
export function loadBiddersQuery(
  pair: Pair,
  { createdSince, since }: BidWindow,
): RawBuilder<Bidder> {
  return sql<Bidder>`
    select bid.solver, count(distinct bid.intent_id) as auctions, max(bid.bid_at) as "lastBidAt"
    from (
      select source_chain_id, intent_id from cairn.intent as intent where ${ofPair(pair)}
        and created_at >= ${createdSince}::bigint and bid_count > 0
      order by created_at desc, intent_id desc limit ${sql.lit(AUCTIONS)}) as auction
    cross join lateral (
      select b.solver, b.intent_id, b.bid_at from cairn.bid b
      where b.source_chain_id = auction.source_chain_id and b.intent_id = auction.intent_id
      order by b.bid_index desc limit ${sql.lit(BIDS)}) as bid
    where bid.bid_at >= ${since}::bigint
    group by bid.solver order by auctions desc, "lastBidAt" desc, bid.solver limit ${sql.lit(BIDDERS)}`
}
