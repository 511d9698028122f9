import { getAddress, type Hex } from 'viem'
import type { ResponseOf } from '../../../services/enclave/enclaveInterface.ts'

/**
 * The payments that a winner owes: checksummed addresses, amounts as decimal text of tokenB's base
 * units.
 */
export type Payments = { recipients: Hex[]; amounts: string[] }

/** A winner's payments, as sent to it. */
export function winnersPayments({
  recipients,
  amounts,
}: Pick<ResponseOf<'revealToWinner'>, 'recipients' | 'amounts'>): Payments {
  return {
    recipients: recipients.map((recipient) => getAddress(recipient)),
    amounts: amounts.map(String),
  }
}
