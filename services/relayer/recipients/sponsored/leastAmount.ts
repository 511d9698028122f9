import { sql } from 'kysely'
import type { SponsorLimits } from '../../../config/sponsorLimits.ts'
import type { Db } from '../../../store/database/database.ts'
import type { IntentTerms } from '../../terms/intentTerms.ts'

/** What decides for how many Safes an intent's fee pays. */
export type SafePrice = Pick<SponsorLimits, 'gasPerMinimum' | 'gasPerRecipient'>

/**
 * The least `amountA`, in base units of tokenA, with which an intent's fee pays for a deployment and a
 * transfer of each of so many Safes (see `requireAllowance`); null while the index doesn't know the token.
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

/** The same, given the bridge's minimum of the token. */
export function leastAmountOf(
  minimum: bigint,
  safes: number,
  { gasPerMinimum, gasPerRecipient }: SafePrice,
): bigint {
  // A relayer that pays for nothing needs no minimum.
  if (gasPerMinimum === 0n) return minimum
  const needed = minimum * BigInt(safes) * gasPerRecipient
  const least = (needed + gasPerMinimum - 1n) / gasPerMinimum
  return least > minimum ? least : minimum
}
