import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../../../store/database/database.ts'

/** What the relayer has paid for on one chain, of one kind, in total. */
export type ChainSpending = {
  chainId: number
  kind: string
  count: number
  /** What isn't known yet counts as its reserve. */
  wei: bigint
}

/** What was paid for in the last 24 hours on one chain, of one kind. */
export type DaySpending = { chainId: number; kind: string; wei: bigint }

/** What the relayer has paid for the owners of Safes. It reads the whole history: call it seldom. */
export async function readSpending(db: Db): Promise<ChainSpending[]> {
  const { rows } = await sql<ChainSpending>`
    select chain_id as "chainId", kind, count(*)::integer as count,
      sum(earlier_wei + coalesce(spent_wei, reserved_wei))::numeric as wei
    from app.sponsored_transaction group by 1, 2 order by 1, 2`.execute(db)
  return rows
}

/** What was paid for in the last 24 hours. */
export async function readDaySpending(db: Db): Promise<DaySpending[]> {
  return (await daySpendingQuery().execute(db)).rows
}

/** The statement of `readDaySpending`: as many rows as the day has are read. */
export function daySpendingQuery(): RawBuilder<DaySpending> {
  return sql<DaySpending>`
    select chain_id as "chainId", kind,
      sum(earlier_wei + coalesce(spent_wei, reserved_wei))::numeric as wei
    from app.sponsored_transaction where requested_at > now() - interval '24 hours'
    group by 1, 2`
}
