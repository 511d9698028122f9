import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../../../store/database/openDatabase.ts'
import { isOfIntent } from '../loadIntentState.ts'

/** Gas of a call that carries a blob: a fixed part, and a part per byte of calldata that includes the log. */
export const CALL_GAS = 100_000n
export const GAS_A_BYTE = 24n

/** The approximate gas of a transaction `t`, at a maximum number of wei per gas. */
export function gasSql(cap: RawBuilder<unknown>): RawBuilder<bigint> {
  return sql`(${sql.lit(String(CALL_GAS))}::numeric + ${sql.lit(String(GAS_A_BYTE))}::numeric * (length(t.data) / 2 - 1)
    + ceil(t.l1_fee / ${cap}))`
}

/**
 * Whether a transaction `t` costs gas. One that ended without effect does if it has a block: it reverted there, as when
 * the sender cancels in the same block. Without a block it has no hash. A tampered row dated in the future doesn't count:
 * it would use up the gas of every day.
 */
export const COSTS_GAS = sql`t.l1_fee < 'NaN' and t.requested_at < now() + interval '1 hour'
  and (t.state not in ('failed', 'superseded') or t.tx_hash is not null)`

/** Whether a transaction `t` is an anchor or append that the relayer pays for. */
export const IS_PAID = sql`t.kind in ('anchor', 'append') and ${COSTS_GAS}`

/** The intent `i` of a transaction `t`; none if its effect names none, which mustn't fail the whole sum. */
export const INTENT_OF = sql`lateral (select i.phase from cairn.intent i
  where i.source_chain_id = t.chain_id
    and i.intent_id = case when t.effect ~ '^[0-9]{1,78}:' then split_part(t.effect, ':', 1)::numeric end
  -- By the primary key alone: a planner that knows little of the table would read all of it.
  offset 0) i`

/**
 * Whether an intent `i` is open, or ended without a fee that covers its gas. A missed delivery is not its sender's fault.
 */
export const IS_UNPAID = sql`i.phase not in ('completed', 'failed')`

/** Fee of an unshielded intent, in basis points. Applied to the token's minimum, it is the unit of gas allowances. */
export const LEAST_BPS = 250n

/** Gas for the calls of an intent whose fee is the smallest. */
export const GAS_PER_MINIMUM = 400_000n

/** A sender's latest intents whose fees and gas are added up: reading all of a busy one's would hold up every anchor. */
const LATEST = 1_000

/**
 * Today's gas that the fees of this sender's completed intents on this chain pay for, among its latest ones of any age.
 * Each fee pays once: what its other intents used before the last 24 hours uses them up, or old fees would pay for new
 * calls every day.
 */
export function paidGasSql(
  chain: RawBuilder<unknown>,
  sender: RawBuilder<unknown>,
  gas: RawBuilder<unknown>,
) {
  const perFee = sql`${sql.lit(String((GAS_PER_MINIMUM * 10_000n) / LEAST_BPS))}::numeric`
  // Its intents are found by the sender alone: a planner that knows little of the table would read all completed ones.
  return sql<string>`(select greatest(0, trunc(sum(
      case own.phase when 'completed' then ${perFee} * own.fee / k.min_amount else -earlier.gas end)))
    from (select i.phase, i.source_chain_id, i.intent_id, i.token_a, i.fee from cairn.intent i
      where i.sender = ${sender} order by i.created_at desc limit ${sql.lit(LATEST)}) as own
    join cairn.bridge_token k on k.chain_id = own.source_chain_id and k.token = own.token_a
    cross join lateral (select coalesce(sum(${gas}), 0) as gas from app.transaction t
      where own.phase <> 'completed' and t.chain_id = own.source_chain_id and ${IS_PAID}
        and ${isOfIntent(sql`own.intent_id::text`)}
        and t.requested_at <= now() - interval '24 hours' offset 0) as earlier
    where own.phase in ('completed', 'cancelled', 'expired') and own.source_chain_id = ${chain})`
}

/** Gas a day that a sender gets beyond what its fees paid for, at the usual limit for all. */
const GAS_OF_SENDER = 3_000_000n
/** If this part of the limit for all is more, a sender gets that. */
const SENDERS_OF_A_DAY = 20n

/**
 * The gas a day that one sender gets, beyond what its fees paid for, at a limit for all: about twenty small intents, or
 * five with the most recipients. So one sender alone doesn't spend the day's budget.
 */
export function gasOfSender(limit: bigint): bigint {
  const part = limit / SENDERS_OF_A_DAY
  return part > GAS_OF_SENDER ? part : GAS_OF_SENDER
}

/**
 * Gas of the last 24 hours on a chain that no fee covers, over all senders: for each, what its intents used that are open
 * or ended without a fee, beyond what its fees ever paid for and at most its part.
 */
export async function readUnpaidGas(
  db: Db,
  chainId: number,
  { cap, ofSender }: { cap: bigint; ofSender: bigint },
): Promise<bigint> {
  // Literals, as they never change: a statement without parameters is planned once.
  const gas = gasSql(sql`${sql.lit(String(cap))}::numeric`)
  const chain = sql.lit(chainId)
  const { rows } = await sql<{ total: string }>`
    select coalesce(sum(greatest(0, least(
      used - ${paidGasSql(chain, sql`senders.payer`, gas)}, ${sql.lit(String(ofSender))}::numeric))), 0)::text as total
    from (
      select t.payer, sum(${gas}) as used
      from app.transaction t cross join ${INTENT_OF}
      where t.chain_id = ${chain} and ${IS_PAID} and t.payer is not null
        and ${IS_UNPAID}
        and t.requested_at > now() - interval '24 hours'
      group by t.payer offset 0) as senders`.execute(db)
  return BigInt(rows[0]?.total ?? 0)
}

/** A call that no fee covers yet. */
type UnpaidCall = {
  sender: string
  /** What the sender's other such calls of the day used, less what its fees ever paid for. */
  own: bigint
  gas: bigint
}

/** A chain's gas of the day that no fee covers, and its limit over all senders. */
export type UnpaidGasBudget = {
  readonly limit: bigint
  taken(): Promise<bigint>
  /** Whether the call certainly doesn't fit. */
  isSpentFor(call: UnpaidCall): Promise<boolean>
  /** Takes the call's gas. False if the day's is spent, or the sender's part of it. */
  take(call: UnpaidCall): Promise<boolean>
}

/** Milliseconds for which the day's sum is cached. */
const FRESH_FOR = 5_000

/**
 * Adds what it admits to the sum until the sum is read again. So concurrent calls exceed the limit by little; what other
 * instances admit counts once the sum is read again. While it can't be read, the last one stays, with all that was
 * admitted since.
 */
export function createUnpaidGasBudget(read: () => Promise<bigint>, limit: bigint): UnpaidGasBudget {
  const ofSender = gasOfSender(limit)
  let latest: { sum: bigint; at: number } | null = null
  let pending: Promise<bigint> | null = null
  let added = 0n
  const admitted = new Map<string, bigint>()

  // The time counts from the end, so that a slow query doesn't start another.
  const readAgain = async () => {
    try {
      const sum = await read()
      latest = { sum, at: performance.now() }
      added = 0n
      admitted.clear()
      return sum
    } catch (error) {
      if (latest === null) throw error
      latest.at = performance.now()
      return latest.sum
    } finally {
      pending = null
    }
  }
  const readSum = async () => {
    if (latest !== null && performance.now() - latest.at <= FRESH_FOR) return latest.sum
    pending ??= readAgain()
    return pending
  }

  /** How much of a sender's gas the sum contains. */
  const counted = (used: bigint) => (used < 0n ? 0n : used > ofSender ? ofSender : used)

  /**
   * What the call adds to a sum; null if it doesn't fit. The sender's first call always fits its part, and what its fees
   * paid for always fits.
   */
  const findAddition = (before: bigint, { sender, own, gas }: UnpaidCall): bigint | null => {
    const used = own + (admitted.get(sender) ?? 0n)
    if (used >= ofSender) return null
    const addition = counted(used + gas) - counted(used)
    return addition > 0n && before + added + addition > limit ? null : addition
  }

  return {
    limit,
    taken: async () => (await readSum()) + added,
    isSpentFor: async (call) => findAddition(await readSum(), call) === null,
    take: async (call) => {
      const before = await readSum()
      // Nothing is awaited from here on, so that concurrent calls see each other's gas.
      const addition = findAddition(before, call)
      if (addition === null) return false
      added += addition
      admitted.set(call.sender, (admitted.get(call.sender) ?? 0n) + call.gas)
      return true
    },
  }
}
