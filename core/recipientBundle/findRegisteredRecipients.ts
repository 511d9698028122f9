import type { Hex } from '../../src/event/bridgeEvent.ts'
import { FEE_BPS } from '../../src/money/bps.ts'
import type { BlobPlaintext, RegisteredRecipient } from '../recoveryBlob/plaintextFormat.ts'

/** What the enclave's tickets say about recipients. Addresses in lower case. */
export type Tickets = {
  /** Registered wallets: of keys, or of contracts on the destination chain. */
  wallets: ReadonlyMap<Hex, { isContract: boolean }>
  /** Safes that the enclave issued, for any intent. */
  safes: ReadonlySet<Hex>
}

/** Which recipients are paid at Safes of their own. */
export function findRegisteredRecipients(
  { recipients }: Pick<BlobPlaintext, 'recipients'>,
  { wallets }: Pick<Tickets, 'wallets'>,
): RegisteredRecipient[] {
  return recipients.flatMap((recipient, position) => {
    const wallet = wallets.get(recipient)
    return wallet === undefined ? [] : [{ position, isContract: wallet.isContract }]
  })
}

/** An intent's fee: the shielded one if any recipient is registered, or is an issued Safe. */
export function chooseFeeTier(
  { recipients }: Pick<BlobPlaintext, 'recipients'>,
  registered: readonly RegisteredRecipient[],
  { safes }: Pick<Tickets, 'safes'>,
): number {
  const isShielded = registered.length > 0 || recipients.some((recipient) => safes.has(recipient))
  return isShielded ? FEE_BPS.shielded : FEE_BPS.unshielded
}
