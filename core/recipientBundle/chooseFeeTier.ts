import { FEE_BPS } from '../../src/money/bps.ts'
import type { BlobPlaintext, RegisteredRecipient } from '../recoveryBlob/plaintextFormat.ts'
import type { Tickets } from './findRegisteredRecipients.ts'

/** An intent's fee: the shielded one if any recipient is registered, or is an issued Safe. */
export function chooseFeeTier(
  { recipients }: Pick<BlobPlaintext, 'recipients'>,
  registered: readonly RegisteredRecipient[],
  { safes }: Pick<Tickets, 'safes'>,
): number {
  const isShielded = registered.length > 0 || recipients.some((recipient) => safes.has(recipient))
  return isShielded ? FEE_BPS.shielded : FEE_BPS.unshielded
}
