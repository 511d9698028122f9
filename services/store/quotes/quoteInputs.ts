import { type RawBuilder, sql } from 'kysely'
import type { CompletedIntent } from '../../../core/quote/calculateQuote.ts'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import type { Db } from '../database/openDatabase.ts'
import type { Pair } from '../pairs/pairFilter.ts'

/** A solver that bid recently. */
export type Bidder = { solver: Hex; auctions: number; lastBidAt: number }

type BidWindow = {
  /** Only auctions created since then, in unix seconds. */
  createdSince: number
  /** Only bids since then, in unix seconds. */
  since: number
}

/** Limits on auctions (the latest with a bid), on bids of each (the latest), and on solvers (the most active). */
const AUCTIONS = 200
const BIDS = 20
const BIDDERS = 20

/** Loads the recent bidders of a pair. */
export async function loadBidders(
  db: Db,
  pair: Pair,
  { createdSince, since }: BidWindow,
): Promise<Bidder[]> {
  const { rows } = await sql<Bidder>`
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
    group by bid.solver order by auctions desc, "lastBidAt" desc, bid.solver limit ${sql.lit(BIDDERS)}`.execute(
    db,
  )
  return rows
}

/** Limit on intents. The largest are taken, so that many small ones can't push them out. */
const INTENTS = 500

/** Loads a pair's completed intents created since a time (unix seconds), the largest first. */
export async function loadCompletedIntents(
  db: Db,
  pair: Pair,
  since: number,
): Promise<CompletedIntent[]> {
  const { rows } = await sql<CompletedIntent>`
    select solver, amount_a as "amountA", reward, fee_bps as "feeBps",
      winning_amount_b as "winningAmountB", settled_at - created_at as seconds
    from cairn.intent as intent where ${ofPair(pair)}
      and created_at >= ${since}::bigint and phase = 'completed'
    order by amount_a desc, intent_id desc limit ${sql.lit(INTENTS)}`.execute(db)
  return rows
}

/** Selects one pair's rows of `cairn.intent`. */
function ofPair({ sourceChainId, destChainId, tokenA, tokenB }: Pair): RawBuilder<unknown> {
  return sql`source_chain_id = ${sourceChainId}::bigint and dest_chain_id = ${destChainId}::bigint
    and token_a = ${tokenA} and token_b = ${tokenB}`
}

/** A solver's stake in one token, in base units. */
export type Stake = { solver: Hex; staked: bigint; locked: bigint }

/** Loads the stakes of these solvers, without those that have none. */
export async function loadStakes(
  db: Db,
  { chainId, token }: { chainId: number; token: Hex },
  solvers: readonly Hex[],
): Promise<Stake[]> {
  if (solvers.length === 0) return []
  const { rows } = await sql<Stake>`
    select solver, staked, locked from cairn.solver_stake
    where chain_id = ${chainId}::bigint and token = ${token} and solver = any(${[...solvers]}::text[])
      and staked > 0`.execute(db)
  return rows
}
