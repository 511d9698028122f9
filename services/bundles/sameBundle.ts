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
    isSameMetadata(given, sealed)
  )
}

/** Whether metadata and viewers are the same; the order of keys doesn't matter. */
export function isSameMetadata(one: Described, other: Described): boolean {
  return textOf(one) === textOf(other)
}

type Described = Pick<BundleContents, 'metadata' | 'viewers'>

function textOf({ metadata = {}, viewers = [] }: Described): string {
  const pairs = Object.entries(metadata).sort(([one], [other]) => (one < other ? -1 : 1))
  return JSON.stringify([pairs, viewers.map((viewer) => viewer.toLowerCase())])
}
