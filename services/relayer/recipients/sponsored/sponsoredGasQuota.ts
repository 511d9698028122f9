import { sql } from 'kysely'
import type { Hex } from '../../../../src/event/bridgeEvent.ts'
import { FEE_BPS } from '../../../../src/money/bps.ts'
import type { SponsorLimits } from '../../../config/sponsorLimits.ts'
import type { Db } from '../../../store/database/openDatabase.ts'
import type { IntentTerms } from '../../terms/intentTerms.ts'
import { type Allowance, isWithin, isWithinOwnPart } from './gasAllowance.ts'
import { SponsorError } from './sponsorContext.ts'

/**
 * Requires that the fee of a Safe's intent covers the request.
 *
 * An intent costs a fee once it is settled, and nothing before: a winner that delivers to others than its sealed
 * recipients is never attested, and the sender, who may be the same, gets everything back. Addresses, Safes, and money
 * that is passed on are free. So all Safes of an intent together get a fixed amount of gas, once, for each multiple of
 * the bridge's minimum amount of its token, at the shielded fee.
 *
 * Each Safe has its own part of that, a deployment and a transfer, regardless of the others' use: an intent whose fee
 * doesn't cover it isn't anchored. Safes requested without a signature have no part of their own and get at most half:
 * nothing shows that the intent pays them, and those that it pays must not go short.
 *
 * @throws SponsorError `SAFE_NOT_PAID`, `PAYMENT_UNCONFIRMED` before a settlement that may still come,
 *   `FEE_ALLOWANCE_SPENT`
 */
export async function requireGasQuota(
  db: Db,
  { chainId, safeAddress, gas, isAsked }: Spending,
  price: SafePrice,
): Promise<void> {
  const found = await readGasAllowance(db, { chainId, safeAddress }, price)
  if (found?.phase === 'deposited') {
    const words = 'its intent is not settled yet: try again in a moment'
    throw new SponsorError('PAYMENT_UNCONFIRMED', words)
  }
  if (found?.phase !== 'completed') {
    const words =
      'the relayer pays only for Safes of settled intents, and this one’s wasn’t: send it yourself'
    throw new SponsorError('SAFE_NOT_PAID', words)
  }
  const { allowance } = found
  const allows = isAsked ? isWithin : isWithinOwnPart
  if (allows(allowance, gas, price.gasPerRecipient)) return
  throw new SponsorError(
    'FEE_ALLOWANCE_SPENT',
    `the gas that its intent’s fee pays for is used up (${allowance.allowed} for all its Safes): send it yourself`,
  )
}

/** The phase of a Safe's intent, and the intent's allowance; null when no such intent is known. */
export async function readGasAllowance(
  db: Db,
  { chainId, safeAddress }: Pick<Spending, 'chainId' | 'safeAddress'>,
  { gasPerMinimum }: Pick<SafePrice, 'gasPerMinimum'>,
): Promise<{ phase: string; allowance: Allowance } | null> {
  const { rows } = await sql<Allowance & { phase: string }>`
    with entry as (
      select intent_id, asked_by is not null as is_strangers from app.stealth_entry
      where chain_id = ${chainId}::bigint and safe_address = ${safeAddress}),
    safe as (
      select e.safe_address, e.asked_by is not null as is_strangers, ${GAS_USED} as used
      from entry join app.stealth_entry e
        on e.chain_id = ${chainId}::bigint and e.intent_id = entry.intent_id
      left join app.sponsored_transaction s
        on s.chain_id = e.chain_id and s.safe_address = e.safe_address
      left join app.transaction t on t.id = s.transaction_id
      group by 1, 2)
    select i.phase, is_strangers as "isStrangers",
      (select coalesce(sum(used), 0) from safe where safe.is_strangers) as "usedByStrangers",
      (select coalesce(sum(used), 0) from safe where safe_address = ${safeAddress}) as own,
      array(select used from safe where not safe.is_strangers
        and safe_address <> ${safeAddress}) as others,
      div(${String(gasPerMinimum)}::numeric * i.amount_a * coalesce(i.fee_bps, 0), ${FEE_BPS.shielded} * k.min_amount) as allowed
    from entry
    join cairn.intent i on i.source_chain_id = div(entry.intent_id, 2::numeric ^ 64)::bigint
      and i.intent_id = entry.intent_id
    join cairn.bridge_token k on k.chain_id = i.source_chain_id and k.token = i.token_a`.execute(db)
  const [row] = rows
  if (row === undefined) return null
  // The driver returns some of these as text.
  const allowance: Allowance = {
    allowed: BigInt(row.allowed),
    own: BigInt(row.own),
    isStrangers: row.isStrangers,
    usedByStrangers: BigInt(row.usedByStrangers),
    others: row.others.map(BigInt),
  }
  return { phase: row.phase, allowance }
}

type Spending = {
  chainId: number
  safeAddress: Hex
  gas: bigint
  /** Whether its owner requested it. Otherwise only the Safe's own part pays. */
  isAsked: boolean
}

/**
 * Gas of all requests for a Safe. A transaction that was never in a block cost nothing. Summed as `numeric`, which holds
 * whatever round and limit a tampered row has.
 */
const GAS_USED = sql`coalesce(sum(t.gas_limit::numeric * (t.round::bigint + 1)) filter (
  where s.spent_wei is distinct from 0 or s.earlier_wei > 0), 0)::numeric`

/** What decides how many Safes an intent's fee covers. */
export type SafePrice = Pick<SponsorLimits, 'gasPerMinimum' | 'gasPerRecipient'>

/**
 * The minimum `amountA`, in base units of tokenA, at which an intent's fee covers a deployment and a transfer of each
 * of this many Safes (see `requireGasQuota`); null while the index doesn't know the token.
 */
export async function leastAmountFor(
  db: Db,
  { sourceChainId, tokenA }: Pick<IntentTerms, 'sourceChainId' | 'tokenA'>,
  safes: number,
  price: SafePrice,
): Promise<bigint | null> {
  const { rows } = await sql<{ least: bigint }>`
    select min_amount as least from cairn.bridge_token
    where chain_id = ${sourceChainId}::bigint and token = ${tokenA}`.execute(db)
  return rows[0] === undefined ? null : leastAmountOf(BigInt(rows[0].least), safes, price)
}

/**
 * The same, given the bridge's minimum of the token. It may be less than that minimum, which the bridge requires of
 * `amountA` and the reward together; with no Safe it is nothing.
 */
export function leastAmountOf(
  minimum: bigint,
  safes: number,
  { gasPerMinimum, gasPerRecipient }: SafePrice,
): bigint {
  // A relayer that pays for nothing needs no minimum.
  if (gasPerMinimum === 0n) return 0n
  const needed = minimum * BigInt(safes) * gasPerRecipient
  return (needed + gasPerMinimum - 1n) / gasPerMinimum
}
