import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../../../store/database/openDatabase.ts'

/** Gas of a call that carries a blob: a fixed part, and a part per byte of calldata that includes the log. */
export const CALL_GAS = 100_000n
export const GAS_A_BYTE = 24n

/** The approximate gas of a transaction `t`, at a maximum number of wei per gas. */
export function gasSql(cap: RawBuilder<unknown>): RawBuilder<bigint> {
  return sql`(${String(CALL_GAS)}::numeric + ${String(GAS_A_BYTE)} * (length(t.data) / 2 - 1)
    + ceil(t.l1_fee / ${cap}))`
}

/**
 * Whether a transaction `t` is an anchor or append that the relayer pays for. One that ended without effect cost gas if
 * it has a block: it reverted there, as when the sender cancels in the same block. Without a block it has no hash.
 */
export const IS_PAID = sql`t.kind in ('anchor', 'append')
  and (t.state not in ('failed', 'superseded') or t.tx_hash is not null)`

/** The intent `i` of a transaction `t`. */
export const INTENT_OF = sql`lateral (select i.phase from cairn.intent i
  where i.source_chain_id = t.chain_id and i.intent_id = split_part(t.effect, ':', 1)::numeric
  -- By the primary key alone: a planner that knows little of the table would read all of it.
  offset 0) i`

/**
 * Gas of the last 24 hours on a chain that no fee covers, over all senders: for each, what its intents used that are
 * open or ended without a fee, less what its completed ones did. A missed delivery is not its sender's fault.
 */
export async function readUnpaidGas(db: Db, chainId: number, cap: bigint): Promise<bigint> {
  const gas = gasSql(sql`${String(cap)}::numeric`)
  const { rows } = await sql<{ total: string }>`
    select coalesce(sum(greatest(balance, 0)), 0)::text as total from (
      select sum(case i.phase when 'completed' then -${gas} when 'failed' then 0 else ${gas} end)
        as balance
      from app.transaction t cross join ${INTENT_OF}
      where t.chain_id = ${chainId}::bigint and ${IS_PAID} and t.payer is not null
        and t.requested_at > now() - interval '24 hours'
      group by t.payer) as senders`.execute(db)
  return BigInt(rows[0]?.total ?? 0)
}

/** A chain's gas of the day that no fee covers, and its limit over all senders. */
export type UnpaidGasBudget = {
  readonly limit: bigint
  taken(): Promise<bigint>
  /** Takes this much more. False if that exceeds the limit. */
  take(gas: bigint): Promise<boolean>
}

/** Milliseconds for which the day's sum is cached. */
const FRESH_FOR = 5_000

/** Adds what it admits to the sum until the sum is read again. So concurrent calls exceed the limit by little. */
export function createUnpaidGasBudget(read: () => Promise<bigint>, limit: bigint): UnpaidGasBudget {
  let sum: Promise<bigint> | null = null
  let readAt = 0
  let added = 0n

  const readSum = () => {
    if (sum === null || performance.now() - readAt > FRESH_FOR) {
      readAt = performance.now()
      added = 0n
      sum = read()
      sum.catch(() => {
        sum = null
      })
    }
    return sum
  }

  return {
    limit,
    taken: async () => (await readSum()) + added,
    take: async (gas) => {
      if (gas === 0n) return true
      const before = await readSum()
      // Nothing is awaited from here on, so that concurrent calls see each other's gas.
      if (before + added + gas > limit) return false
      added += gas
      return true
    },
  }
}
