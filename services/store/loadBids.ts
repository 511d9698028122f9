import { type RawBuilder, sql } from 'kysely'
import type { BidRow } from '../../src/projection/rows.ts'
import { selectList } from './columns.ts'
import type { Db } from './database.ts'
import type { IntentKey } from './storedIntent.ts'
import { wantedIntents } from './wantedIntents.ts'

export type BidPage = {
  /** Only bids after the one of this index. */
  after?: number | undefined
  /** Bids of one intent at most. */
  limit: number
}

/** The bids of each of the intents, in the order of its auction; intents in no particular order. */
export async function loadBids(
  db: Db,
  keys: readonly IntentKey[],
  page: BidPage,
): Promise<BidRow[]> {
  if (keys.length === 0) return []
  const { rows } = await loadBidsQuery(keys, page).execute(db)
  return rows
}

/** The statement of `loadBids`. */
export function loadBidsQuery(
  keys: readonly IntentKey[],
  { after = 0, limit }: BidPage,
): RawBuilder<BidRow> {
  return sql<BidRow>`select bid.* from ${wantedIntents(keys)} cross join lateral (
    select ${sql.raw(selectList('bid', 'b'))} from cairn.bid b
    where b.source_chain_id = wanted.chain and b.intent_id = wanted.id and b.bid_index > ${after}::integer
    order by b.bid_index limit ${limit}) as bid order by bid."bidIndex"`
}
