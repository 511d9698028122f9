import { getAddress, type Hex } from 'viem'
import type { ResponseOf } from '../../../services/enclave/port.ts'

/** Whom a winner owes how much: checksummed, decimal text of tokenB's base units. */
export type Payments = { recipients: Hex[]; amounts: string[] }

/** The payments that a winner is told of, as the wire has them. */
export function paymentsIn({
  recipients,
  amounts,
}: Pick<ResponseOf<'revealToWinner'>, 'recipients' | 'amounts'>): Payments {
  return {
    recipients: recipients.map((recipient) => getAddress(recipient)),
    amounts: amounts.map(String),
  }
}
