import type { BlobPlaintext } from '../recoveryBlob/plaintextFormat.ts'

/** A bundle's payments and metadata, without its number and salt. */
type SaidBundle = Pick<BlobPlaintext, 'recipients' | 'amounts' | 'metadata' | 'viewers'>

/** Whether two bundles pay the same, in the same order, and carry the same metadata. */
export function isSameBundle(one: SaidBundle, other: SaidBundle): boolean {
  return isSamePayment(one, other) && isSameMetadata(one, other)
}

/** Whether two bundles pay the same, in the same order. */
export function isSamePayment(
  one: Pick<SaidBundle, 'recipients' | 'amounts'>,
  other: Pick<SaidBundle, 'recipients' | 'amounts'>,
): boolean {
  return (
    one.recipients.length === other.recipients.length &&
    one.recipients.every((recipient, at) => isSameAddress(recipient, other.recipients[at])) &&
    one.amounts.every((amount, at) => amount === other.amounts[at])
  )
}

/** Whether metadata and viewers are the same; the order of keys doesn't matter. */
export function isSameMetadata(one: Described, other: Described): boolean {
  return formatMetadata(one) === formatMetadata(other)
}

type Described = Pick<SaidBundle, 'metadata' | 'viewers'>

function isSameAddress(one: string, other: string | undefined): boolean {
  return one.toLowerCase() === other?.toLowerCase()
}

function formatMetadata({ metadata = {}, viewers = [] }: Described): string {
  const pairs = Object.entries(metadata).sort(([one], [other]) => (one < other ? -1 : 1))
  return JSON.stringify([pairs, viewers.map((viewer) => viewer.toLowerCase())])
}
