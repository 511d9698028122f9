import { type RawBuilder, sql } from 'kysely'
import type { Hex } from 'viem'
import type { SourceFacts } from '../../../../src/intent/intentFacts.ts'
import { batchReadsOf } from '../../../store/database/batchReads.ts'
import { isOfIntent } from '../loadIntentState.ts'
import type { ReactionContext } from '../reactionContext.ts'
import {
  CALL_GAS,
  GAS_A_BYTE,
  gasSql,
  hasCompletedSql,
  INTENT_OF,
  IS_PAID,
  type UnpaidCall,
} from './unpaidGas.ts'

/** Fee of an unshielded intent, in basis points: the unit of the gas allowance. */
const LEAST_BPS = 250n

/** Gas a day that a sender's unpaid intents may use beyond what its paid ones covered. */
const UNPAID_GAS = 3_000_000n

/**
 * Why the relayer doesn't pay: the intent's fee doesn't cover the gas, the sender's intents never pay a fee, or the
 * day's gas for senders without completed intents is spent, or this sender's part of it.
 */
type NotPaid = 'FEE_TOO_SMALL' | 'SENDER_PAYS_NOTHING' | 'GAS_BUDGET_SPENT'

/** The approximate gas of a call with this data. */
function gasOf(data: Hex): bigint {
  return CALL_GAS + GAS_A_BYTE * BigInt(data.length / 2 - 1)
}

/** A call that the relayer may pay for. */
type PaidCall = {
  data: Hex
  /** The intent's, in basis points. */
  feeBps: number
  /** Wei that its data costs on the parent chain. */
  l1Fee: bigint
  /** Maximum wei per gas. */
  cap: bigint
}

/**
 * Gas that the relayer paid: for this intent, for the sender in the last 24 hours without being repaid by fees, and
 * besides for its intents that are still open. A customer has a completed intent on the chain.
 */
type Spent = {
  used: string
  least: string | null
  balance: string
  open: string
  isCustomer: boolean
}

/** An intent to pay for, and the maximum wei per gas. */
type Spending = Pick<SourceFacts, 'sourceChainId' | 'intentId' | 'tokenA' | 'sender'> & {
  cap: bigint
}

/**
 * Why the relayer won't pay for an anchor or append; null if it pays. All calls of an intent share a gas allowance,
 * proportional to its fee as a multiple of the token's minimum fee. A sender whose intents end without a fee, because
 * it cancels them, gets only a few calls beyond those that paid. All senders without a completed intent together get a
 * daily budget of such gas, since the same money can pass through any number of fresh senders; each gets a part, open
 * intents included. The cost of data on the parent chain counts as gas at the maximum price.
 */
export async function findGasRefusal(
  {
    bundles: { db },
    anchorGasPerMinimum,
    unpaidGas,
  }: Pick<ReactionContext, 'bundles' | 'anchorGasPerMinimum' | 'unpaidGas'>,
  source: SourceFacts,
  { data, feeBps, l1Fee, cap }: PaidCall,
): Promise<NotPaid | null> {
  const { amountA } = source
  const spent = await spentOn(db, { ...source, cap })
  const { used, least, balance } = spent
  const allowed =
    (anchorGasPerMinimum * amountA * BigInt(feeBps)) / (BigInt(least ?? amountA) * LEAST_BPS)
  const requested = gasOf(data) + (l1Fee + cap - 1n) / cap
  if (BigInt(used) + requested > allowed) return 'FEE_TOO_SMALL'
  if (BigInt(balance) > UNPAID_GAS) return 'SENDER_PAYS_NOTHING'
  if (spent.isCustomer) return null
  const call = toUnpaidCall(source, spent, requested)
  const isWithin = (await unpaidGas.get(source.sourceChainId)?.take(call)) ?? true
  return isWithin ? null : 'GAS_BUDGET_SPENT'
}

/**
 * Whether the day's gas is certainly spent for an intent that has waited for it. Then nothing needs to be signed again.
 */
export async function isBudgetSpent(
  { bundles: { db }, unpaidGas }: Pick<ReactionContext, 'bundles' | 'unpaidGas'>,
  source: SourceFacts,
  cap: bigint,
): Promise<boolean> {
  const budget = unpaidGas.get(source.sourceChainId)
  if (budget === undefined) return false
  const spent = await spentOn(db, { ...source, cap })
  return !spent.isCustomer && budget.isSpentFor(toUnpaidCall(source, spent, CALL_GAS))
}

function toUnpaidCall(
  { sender }: Pick<SourceFacts, 'sender'>,
  { balance, open }: Pick<Spent, 'balance' | 'open'>,
  gas: bigint,
): UnpaidCall {
  return { sender, own: BigInt(balance) + BigInt(open), gas }
}

/** One statement sums up a sender's day once for all of its intents. */
const TOGETHER = { atOnce: 2, largest: 64, retriesAlone: true }

const spentOn = batchReadsOf(TOGETHER, async (db, requested: readonly Spending[]) => {
  return (await spentQuery(requested).execute(db)).rows
})

/** The SQL of `findGasRefusal`, in the order of the intents. */
export function spentQuery(intents: readonly Spending[]): RawBuilder<Spent> {
  const column = (read: (one: Spending) => unknown) => intents.map((one) => String(read(one)))
  const gas = gasSql(sql`requested.cap`)
  const isSpent = sql`t.chain_id = requested.chain and ${IS_PAID}`
  return sql<Spent>`
    with requested as (
      select * from unnest(${column((one) => one.sourceChainId)}::bigint[],
        ${column((one) => one.intentId)}::text[], ${column((one) => one.tokenA)}::text[],
        ${column((one) => one.sender)}::text[], ${column((one) => one.cap)}::numeric[])
        with ordinality as given (chain, id, token, sender, cap, position)),
    day as materialized (
      select chain, sender, cap, balance, open,
        ${hasCompletedSql(sql`requested.chain`, sql`requested.sender`)} as customer
      from (select distinct chain, sender, cap from requested) as requested
      cross join lateral (
        select
          coalesce(sum(case i.phase when 'completed' then -${gas} when 'cancelled' then ${gas}
            when 'expired' then ${gas} else 0 end), 0)::text as balance,
          coalesce(sum(${gas}) filter (where i.phase in ('open', 'bidding', 'deposited')), 0)::text
            as open
        from app.transaction t cross join ${INTENT_OF}
        where ${isSpent} and t.payer = requested.sender
          and t.requested_at > now() - interval '24 hours') as paid)
    select
      (select coalesce(sum(${gas}), 0)::text from app.transaction t
        where ${isSpent} and ${isOfIntent(sql`requested.id`)}) as used,
      (select k.min_amount::text from cairn.bridge_token k
        where k.chain_id = requested.chain and k.token = requested.token) as least,
      day.balance, day.open, day.customer as "isCustomer"
    from requested join day using (chain, sender, cap) order by requested.position`
}
