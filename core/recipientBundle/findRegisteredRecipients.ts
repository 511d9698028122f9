import type { Hex } from '../../src/event/bridgeEvent.ts'
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
