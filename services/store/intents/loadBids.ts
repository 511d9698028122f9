import { sql } from 'kysely'
import type { Cutoffs } from '../../../core/intent/asOfCutoff.ts'
import type { BidRow } from '../../../src/projection/rowTypes.ts'
import { UNPREPARED, withinSql } from '../asOf/cutoffSql.ts'
import { selectList } from '../database/columnSql.ts'
import type { Db } from '../database/openDatabase.ts'
import { type IntentKey, requestedIntents } from './storedIntent.ts'

type BidPage = {
  /** Only bids with a higher index. */
  after?: number | undefined
  /** Limit for each intent. */
  limit: number
  within?: Cutoffs | undefined
}

/** Loads the bids of each intent in their order; intents in no particular order. */
export async function loadBids(
  db: Db,
  keys: readonly IntentKey[],
  { after = 0, limit, within }: BidPage,
): Promise<BidRow[]> {
  if (keys.length === 0) return []
  const { rows } =
    await sql<BidRow>`${sql.raw(within ? UNPREPARED : '')}select bid.* from ${requestedIntents(keys)} cross join lateral (
    select ${sql.raw(selectList('bid', 'b'))} from cairn.bid b
    where b.source_chain_id = requested.chain and b.intent_id = requested.id and b.bid_index > ${after}::integer
      and ${sql.raw(withinSql('bid', 'b', within))}
    order by b.bid_index limit ${limit}) as bid order by bid."bidIndex"`.execute(db)
  return rows
}
