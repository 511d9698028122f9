import { sql } from 'kysely'
import type { Hex } from '../../../../src/event/bridgeEvent.ts'
import { FEE_BPS } from '../../../../src/money/bps.ts'
import type { SponsorLimits } from '../../../config/sponsorLimits.ts'
import type { Db } from '../../../store/database/database.ts'
import { SponsorError } from './sponsorError.ts'

/**
 * Requires that the fee of a Safe's intent pays for what is wanted. An intent costs a fee once it is
 * settled, and nothing before: a winner that delivers to others than its sealed recipients is never
 * attested, and the sender, who may be the same, gets all back. Addresses, Safes and money that is passed
 * on from one to the next cost nothing. So all Safes of an intent together get so much gas, ever, for each
 * time that its amount is the least that the bridge takes of its token, at the shielded fee.
 * Safes that somebody without a signature had made out get half of it at most: nobody has shown that the
 * intent pays them, and those that it pays must not go short.
 *
 * @throws SponsorError `SAFE_NOT_PAID`, `PAYMENT_UNCONFIRMED` before a settlement that may still come,
 *   `FEE_ALLOWANCE_SPENT`
 */
export async function requireAllowance(
  db: Db,
  { chainId, safeAddress, gas }: { chainId: number; safeAddress: Hex; gas: bigint },
  { gasPerMinimum }: Pick<SponsorLimits, 'gasPerMinimum'>,
): Promise<void> {
  const { rows } = await sql<Allowance>`
    with entry as (
      select intent_id, asked_by is not null as is_strangers from app.stealth_entry
      where chain_id = ${chainId}::bigint and safe_address = ${safeAddress})
    select i.phase, is_strangers as "isStrangers", ${used(chainId)} as used,
      ${used(chainId, sql`and e.asked_by is not null`)} as "usedByStrangers",
      div(${String(gasPerMinimum)}::numeric * i.amount_a * i.fee_bps, ${FEE_BPS.shielded} * k.min_amount) as allowed
    from entry
    join cairn.intent i on i.source_chain_id = div(entry.intent_id, 2::numeric ^ 64)::bigint
      and i.intent_id = entry.intent_id
    join cairn.bridge_token k on k.chain_id = i.source_chain_id and k.token = i.token_a`.execute(db)
  const { phase, ...allowance } = rows[0] ?? NONE
  if (phase === 'deposited') {
    const words = 'its intent is not settled yet: ask again in a moment'
    throw new SponsorError('PAYMENT_UNCONFIRMED', words)
  }
  if (phase !== 'completed') {
    const words = 'the relayer pays for Safes of intents that were settled, and this one’s wasn’t'
    throw new SponsorError('SAFE_NOT_PAID', words)
  }
  const most = BigInt(allowance.allowed)
  const isWithin = BigInt(allowance.used) + gas <= most
  const isWithinHalf = BigInt(allowance.usedByStrangers) + gas <= most / 2n
  if (isWithin && (isWithinHalf || !allowance.isStrangers)) return
  throw new SponsorError(
    'FEE_ALLOWANCE_SPENT',
    `what its intent’s fee pays for is used up, ${most} gas for all its Safes: send it yourself`,
  )
}

/** Of a Safe's intent. */
type Allowance = {
  phase: string | null
  /** Whether somebody without a signature had the Safe made out. */
  isStrangers: boolean
  /** Gas for all Safes, used by all of them, and by those of strangers. */
  allowed: bigint
  used: bigint
  usedByStrangers: bigint
}

const NONE: Allowance = {
  ...{ phase: null, isStrangers: false, allowed: 0n, used: 0n, usedByStrangers: 0n },
}

/** Gas of all that was asked for the intent's Safes. What never was in a block has cost nothing. */
function used(chainId: number, which = sql``) {
  return sql`(
    select coalesce(sum(t.gas_limit * (t.round + 1)) filter (where s.spent_wei is distinct from 0
      or s.earlier_wei > 0), 0)::numeric
    from app.stealth_entry e
    join app.sponsored_transaction s on s.chain_id = e.chain_id and s.safe_address = e.safe_address
    join app.transaction t on t.id = s.transaction_id
    where e.chain_id = ${chainId}::bigint and e.intent_id = entry.intent_id ${which})`
}
