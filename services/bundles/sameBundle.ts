import type { Hex } from '../../src/event/bridgeEvent.ts'
import type { BlobContents, BundleContents } from '../enclave/port.ts'

/**
 * Whether a sender's bundle says what a sealed one says. A recipient that was replaced by its Safe
 * matches under both addresses: the sender may know either.
 */
export function isSameBundle(sealed: BlobContents, given: BundleContents): boolean {
  const { recipients, amounts } = given
  if (recipients.length !== sealed.recipients.length) return false
  const wallets = new Map(sealed.shielded?.map(({ position, wallet }) => [position, wallet]))
  const isPaid = (recipient: Hex, position: number) =>
    recipient.toLowerCase() === sealed.recipients[position] ||
    recipient.toLowerCase() === wallets.get(position)
  return (
    recipients.every(isPaid) &&
    amounts.every((amount, position) => amount === sealed.amounts[position]) &&
    textOf(given) === textOf(sealed)
  )
}

/** Metadata and viewers as text that doesn't depend on the order of keys. */
function textOf({ metadata = {}, viewers = [] }: BundleContents): string {
  const pairs = Object.entries(metadata).sort(([one], [other]) => (one < other ? -1 : 1))
  return JSON.stringify([pairs, viewers.map((viewer) => viewer.toLowerCase())])
}
