import { sql } from 'kysely'
import type { Hex } from '../../../../src/event/bridgeEvent.ts'
import type { Db } from '../../../store/database/database.ts'
import { contentsKey } from './loadBalances.ts'

/**
 * Up to which time the transfers of Safes have been read, in unix seconds.
 *
 * @returns by `contentsKey`; a Safe of which nothing was read yet is not in it
 */
export async function transfersReadUpTo(
  db: Db,
  safes: readonly { chainId: number; safeAddress: Hex }[],
): Promise<Map<string, number>> {
  const chains = safes.map(({ chainId }) => chainId)
  const addresses = safes.map(({ safeAddress }) => safeAddress)
  const { rows } = await sql<{ chainId: number; safeAddress: Hex; time: number | null }>`
    with position as (
      select chain_id, max(block_time) as time from app.transfer_checkpoint group by chain_id
    )
    select f.chain_id as "chainId", f.safe_address as "safeAddress",
      case when f.next_block is null then p.time else f.read_to end as time
    from unnest(${chains}::bigint[], ${addresses}::text[]) as s (chain_id, safe)
    join app.followed_safe f on f.chain_id = s.chain_id and f.safe_address = s.safe
    left join position p on p.chain_id = f.chain_id`.execute(db)
  return new Map(rows.flatMap((row) => (row.time === null ? [] : [[contentsKey(row), row.time]])))
}
