import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../../../store/database/openDatabase.ts'
import { CALL_GAS, COSTS_GAS, gasSql } from './unpaidGas.ts'

/**
 * Gas of the last 24 hours on a chain for refunds of intents that nobody bid for. Without a limit anyone could empty the
 * relayer's account: such an intent costs its sender about twice the gas of its refund, and nothing else.
 *
 * @param cap maximum wei per gas
 * @param sender counts only the part for this sender
 */
export async function readRefundGas(
  db: Db,
  chainId: number,
  cap: bigint,
  sender?: string,
): Promise<bigint> {
  const isSenders = sender === undefined ? sql`true` : sql`t.payer = ${sender}`
  const { rows } = await sql<{ gas: string }>`
    select coalesce(sum(${gasSql(sql`${String(cap)}::numeric`)}), 0)::text as gas
    from app.transaction t where ${isRefundOf(chainId)} and ${isSenders}`.execute(db)
  return BigInt(rows[0]?.gas ?? 0)
}

/** A chain's daily gas for refunds of intents that nobody bid on. */
type RefundBudget = {
  /** Of the last 24 hours. */
  taken: bigint
  /** Whether there is no room for another refund. */
  isSpent: boolean
  /** When there is room again; null if there is now, or never. */
  renewsAt: Date | null
}

/** How much of the daily gas for refunds is taken, and when there is room for another one. */
export async function readRefundBudget(
  db: Db,
  chainId: number,
  { cap, limit }: { cap: bigint; limit: bigint },
): Promise<RefundBudget> {
  const { rows } = await sql<{ taken: string; renewsAt: Date | null }>`
    with day as (
      select requested_at, sum(gas) over () as taken, sum(gas) over (order by requested_at, id) as freed
      from (select t.id, t.requested_at, ${gasSql(sql`${String(cap)}::numeric`)} as gas
        from app.transaction t where ${isRefundOf(chainId)}) as refund)
    select coalesce(max(taken), 0)::text as taken,
      min(requested_at) filter (
        where taken - freed + ${String(CALL_GAS)}::numeric <= ${String(limit)}::numeric)
        + interval '24 hours' as "renewsAt"
    from day`.execute(db)
  const taken = BigInt(rows[0]?.taken ?? 0)
  const isSpent = taken + CALL_GAS > limit
  return { taken, isSpent, renewsAt: isSpent ? (rows[0]?.renewsAt ?? null) : null }
}

/** SQL: whether a transaction `t` is a refund of the last 24 hours that the chain's daily gas paid for. */
function isRefundOf(chainId: number): RawBuilder<boolean> {
  return sql`t.kind = 'refund' and t.payer is not null and t.chain_id = ${chainId}::bigint
    and t.requested_at > now() - interval '24 hours' and ${COSTS_GAS}`
}
