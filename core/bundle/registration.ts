import type { Hex } from '../../src/event/bridgeEvent.ts'
import { FEE_BPS } from '../../src/money/bps.ts'
import type { BlobPlaintext, RegisteredRecipient } from '../blob/plaintext.ts'

/** What tickets of the enclave say about recipients. Addresses in lower case. */
export type Tickets = {
  /** Registered wallets: of keys, or of contracts on the destination chain. */
  wallets: ReadonlyMap<Hex, { isContract: boolean }>
  /** Safes that were given out, for whichever intent. */
  safes: ReadonlySet<Hex>
}

/** Which recipients are to be paid at Safes of their own. */
export function findRegistered(
  { recipients }: Pick<BlobPlaintext, 'recipients'>,
  { wallets }: Pick<Tickets, 'wallets'>,
): RegisteredRecipient[] {
  return recipients.flatMap((recipient, position) => {
    const wallet = wallets.get(recipient)
    return wallet === undefined ? [] : [{ position, isContract: wallet.isContract }]
  })
}

/** The fee of an intent: the shielded one if any recipient is registered, or is a Safe that was given out. */
export function chooseFeeTier(
  { recipients }: Pick<BlobPlaintext, 'recipients'>,
  registered: readonly RegisteredRecipient[],
  { safes }: Pick<Tickets, 'safes'>,
): number {
  const isShielded = registered.length > 0 || recipients.some((recipient) => safes.has(recipient))
  return isShielded ? FEE_BPS.shielded : FEE_BPS.unshielded
}
