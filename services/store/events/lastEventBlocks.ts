import { type RawBuilder, sql } from 'kysely'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import type { Db } from '../database/database.ts'

/** A block that the index knows by hash. */
type EventBlock = { chainId: number; blockNumber: number; blockHash: Hex }

/** The newest block with an event on each of the chains; a chain without events is left out. */
export async function lastEventBlocks(db: Db, chainIds: readonly number[]): Promise<EventBlock[]> {
  if (chainIds.length === 0) return []
  const { rows } = await lastEventBlocksQuery(chainIds).execute(db)
  return rows
}

/** The statement of `lastEventBlocks`. */
export function lastEventBlocksQuery(chainIds: readonly number[]): RawBuilder<EventBlock> {
  return sql<EventBlock>`select newest.* from unnest(${[...chainIds]}::bigint[]) as requested (chain)
    cross join lateral (
      select e.chain_id as "chainId", e.block_number as "blockNumber", e.block_hash as "blockHash"
      from cairn.event e where e.chain_id = requested.chain
      order by e.block_number desc, e.log_index desc limit 1) as newest`
}
