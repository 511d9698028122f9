import { type RawBuilder, sql } from 'kysely'
import type { CompletedIntent } from '../../../core/quote/quoteOf.ts'
import type { Db } from '../database/database.ts'
import type { Pair } from '../pairs/pairFilter.ts'

/** Intents at most: the largest ones, so that many small ones can't push them out. */
const MOST = 500

/** What was completed of a pair among the intents created since then (unix seconds), the largest first. */
export async function loadCompletedIntents(
  db: Db,
  pair: Pair,
  since: number,
): Promise<CompletedIntent[]> {
  const { rows } = await loadCompletedQuery(pair, since).execute(db)
  return rows
}

/** The statement of `loadCompletedIntents`. */
export function loadCompletedQuery(pair: Pair, since: number): RawBuilder<CompletedIntent> {
  return sql<CompletedIntent>`
    select solver, amount_a as "amountA", reward, fee_bps as "feeBps",
      winning_amount_b as "winningAmountB", settled_at - created_at as seconds
    from cairn.intent as intent where ${ofPair(pair)}
      and created_at >= ${since}::bigint and phase = 'completed'
    order by amount_a desc, intent_id desc limit ${sql.lit(MOST)}`
}

/** The intents of one pair, of a relation whose columns are those of `cairn.intent`. */
export function ofPair({ sourceChainId, destChainId, tokenA, tokenB }: Pair): RawBuilder<unknown> {
  return sql`source_chain_id = ${sourceChainId}::bigint and dest_chain_id = ${destChainId}::bigint
    and token_a = ${tokenA} and token_b = ${tokenB}`
}
