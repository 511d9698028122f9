import { sql } from 'kysely'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import type { Db } from '../../store/database.ts'

/** What was paid for on one chain, of one kind. */
export type ChainSpending = {
  chainId: number
  kind: string
  count: number
  /** Since the beginning, and in the last 24 hours. What isn't known yet counts as its reserve. */
  wei: bigint
  weiToday: bigint
}

/** What one Safe was paid for in the last 24 hours. */
export type SafeSpending = { chainId: number; safeAddress: Hex; count: number; wei: bigint }

/** What the relayer has paid for the owners of Safes. */
export async function readSpending(db: Db): Promise<ChainSpending[]> {
  const { rows } = await sql<ChainSpending>`
    select chain_id as "chainId", kind, count(*)::integer as count,
      sum(earlier_wei + coalesce(spent_wei, reserved_wei))::numeric as wei,
      coalesce(sum(earlier_wei + coalesce(spent_wei, reserved_wei))
        filter (where requested_at > now() - interval '24 hours'), 0)::numeric as "weiToday"
    from app.sponsored_transaction group by 1, 2 order by 1, 2`.execute(db)
  return rows
}

/** The Safes that cost the most in the last 24 hours. */
export async function readDearestSafes(db: Db, limit: number): Promise<SafeSpending[]> {
  const { rows } = await sql<SafeSpending>`
    select chain_id as "chainId", safe_address as "safeAddress", count(*)::integer as count,
      sum(earlier_wei + coalesce(spent_wei, reserved_wei))::numeric as wei
    from app.sponsored_transaction where requested_at > now() - interval '24 hours'
    group by 1, 2 order by wei desc limit ${limit}`.execute(db)
  return rows
}
