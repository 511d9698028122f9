import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../../../store/database/openDatabase.ts'
import { COSTS_GAS, gasSql } from './unpaidGas.ts'

/**
 * Gas of the last 24 hours on a chain for refunds of intents that nobody bid for. Without a limit anyone could empty the
 * relayer's account: such an intent costs its sender about twice the gas of its refund, and nothing else.
 *
 * @param cap maximum wei per gas
 */
export async function readRefundGas(db: Db, chainId: number, cap: bigint): Promise<bigint> {
  return sumOf(db, sql`true`, { chainId, cap })
}

/** The part of it for one sender. */
export async function readRefundGasOf(
  db: Db,
  chainId: number,
  cap: bigint,
  sender: string,
): Promise<bigint> {
  return sumOf(db, sql`t.payer = ${sender}`, { chainId, cap })
}

async function sumOf(
  db: Db,
  condition: RawBuilder<unknown>,
  { chainId, cap }: { chainId: number; cap: bigint },
): Promise<bigint> {
  const { rows } = await sql<{ gas: string }>`
    select coalesce(sum(${gasSql(sql`${String(cap)}::numeric`)}), 0)::text as gas
    from app.transaction t
    where t.kind = 'refund' and t.payer is not null and t.chain_id = ${chainId}::bigint
      and t.requested_at > now() - interval '24 hours' and ${COSTS_GAS} and ${condition}`.execute(
    db,
  )
  return BigInt(rows[0]?.gas ?? 0)
}
