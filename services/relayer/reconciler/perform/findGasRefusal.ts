import { type RawBuilder, sql } from 'kysely'
import type { Hex } from 'viem'
import type { SourceFacts } from '../../../../src/intent/intentFacts.ts'
import { batchReadsOf } from '../../../store/database/batchReads.ts'
import { arrayParameter } from '../../../store/database/columnSql.ts'
import type { Db } from '../../../store/database/openDatabase.ts'
import { isOfIntent } from '../loadIntentState.ts'
import type { ReactionChain, ReactionContext } from '../reactionContext.ts'
import {
  CALL_GAS,
  GAS_A_BYTE,
  gasSql,
  INTENT_OF,
  IS_PAID,
  IS_UNPAID,
  LEAST_BPS,
  paidGasSql,
} from './unpaidGas.ts'

/** Daily gas that a sender's unpaid intents may use beyond what its paid ones covered. */
const UNPAID_GAS = 3_000_000n

/**
 * Why the relayer doesn't pay: the intent's fee doesn't cover the gas, or not what the data costs on the parent chain at
 * present; the sender's intents never pay a fee; or the day's gas that no fee covers is spent, or this sender's part of it.
 */
type NotPaid = 'FEE_TOO_SMALL' | 'DATA_TOO_DEAR' | 'SENDER_PAYS_NOTHING' | 'GAS_BUDGET_SPENT'

/** The approximate gas of a call with this data. */
export function gasOf(data: Hex): bigint {
  return CALL_GAS + GAS_A_BYTE * BigInt(data.length / 2 - 1)
}

/** The source chain's highest price, and its budget. */
type SpendingChain = Pick<ReactionChain, 'cap' | 'unpaidGas'>

/** A call that the relayer may pay for. */
type PaidCall = {
  data: Hex
  /** The intent's, in basis points. */
  feeBps: number
  /** Wei that its data costs on the parent chain. */
  l1Fee: bigint
}

/**
 * Gas that the relayer paid: for this intent, and for the sender in the last 24 hours without being repaid by fees. `own`
 * includes its intents that are still open, and is less what its fees ever paid for.
 */
type Spent = { used: string; least: string | null; balance: string; own: string }

/** An intent to pay for, and the maximum wei per gas. */
type Spending = Pick<SourceFacts, 'sourceChainId' | 'intentId' | 'tokenA' | 'sender'> & {
  cap: bigint
}

/**
 * Why the relayer won't pay for an anchor or append; null if it pays. All calls of an intent share a gas allowance,
 * proportional to its fee as a multiple of the token's minimum fee. A sender whose intents end without a fee, because
 * it cancels them, gets only a few calls beyond those that paid. All senders together get a daily budget of gas beyond
 * what their fees ever paid for, since the same money can pass through any number of fresh senders; each gets a part,
 * open intents included. The cost of data on the parent chain counts as gas at the maximum price.
 */
export async function findGasRefusal(
  {
    bundles: { db },
    anchorGasPerMinimum,
  }: Pick<ReactionContext, 'bundles' | 'anchorGasPerMinimum'>,
  { cap, unpaidGas }: SpendingChain,
  source: SourceFacts,
  { data, feeBps, l1Fee }: PaidCall,
): Promise<NotPaid | null> {
  const { amountA } = source
  const spent = await spentOn(db, { ...source, cap })
  const { used, least, balance } = spent
  const allowed =
    (anchorGasPerMinimum * amountA * BigInt(feeBps)) / (BigInt(least ?? amountA) * LEAST_BPS)
  const gas = gasOf(data)
  const requested = gas + (l1Fee + cap - 1n) / cap
  if (BigInt(used) + gas > allowed) return 'FEE_TOO_SMALL'
  if (BigInt(used) + requested > allowed) return 'DATA_TOO_DEAR'
  if (BigInt(balance) > UNPAID_GAS) return 'SENDER_PAYS_NOTHING'
  const call = { sender: source.sender, own: BigInt(spent.own), gas: requested }
  return (await unpaidGas.take(call)) ? null : 'GAS_BUDGET_SPENT'
}

/**
 * Whether the day's gas is certainly spent for an intent that has waited for it. Then nothing needs to be signed again.
 */
export async function isBudgetSpent(
  db: Db,
  { cap, unpaidGas }: SpendingChain,
  source: SourceFacts,
): Promise<boolean> {
  const { own } = await spentOn(db, { ...source, cap })
  return unpaidGas.isSpentFor({ sender: source.sender, own: BigInt(own), gas: CALL_GAS })
}

/** One statement sums up a sender's day once for all of its intents. */
const TOGETHER = { atOnce: 2, largest: 64, retriesAlone: true }

const spentOn = batchReadsOf(TOGETHER, async (db, requested: readonly Spending[]) => {
  return (await spentQuery(requested).execute(db)).rows
})

/** The SQL of `findGasRefusal`, in the order of the intents. */
export function spentQuery(intents: readonly Spending[]): RawBuilder<Spent> {
  const column = (type: 'bigint' | 'numeric' | 'text', read: (one: Spending) => unknown) =>
    arrayParameter(
      intents.map((one) => String(read(one))),
      type,
    )
  const gas = gasSql(sql`requested.cap`)
  const isSpent = sql`t.chain_id = requested.chain and ${IS_PAID}`
  return sql<Spent>`
    with requested as (
      select * from unnest(${column('bigint', (one) => one.sourceChainId)},
        ${column('text', (one) => one.intentId)}, ${column('text', (one) => one.tokenA)},
        ${column('text', (one) => one.sender)}, ${column('numeric', (one) => one.cap)})
        with ordinality as given (chain, id, token, sender, cap, position)),
    day as materialized (
      select chain, sender, cap, balance,
        (unpaid - ${paidGasSql(sql`requested.chain`, sql`requested.sender`, gas)})::text as own
      from (select distinct chain, sender, cap from requested) as requested
      cross join lateral (
        select
          coalesce(sum(case i.phase when 'completed' then -${gas} when 'cancelled' then ${gas}
            when 'expired' then ${gas} else 0 end), 0)::text as balance,
          coalesce(sum(${gas}) filter (where ${IS_UNPAID}), 0) as unpaid
        from app.transaction t cross join ${INTENT_OF}
        where ${isSpent} and t.payer = requested.sender
          and t.requested_at > now() - interval '24 hours') as paid)
    select
      (select coalesce(sum(${gas}), 0)::text from app.transaction t
        where ${isSpent} and ${isOfIntent(sql`requested.id`)}) as used,
      (select k.min_amount::text from cairn.bridge_token k
        where k.chain_id = requested.chain and k.token = requested.token) as least,
      day.balance, day.own
    from requested join day using (chain, sender, cap) order by requested.position`
}
