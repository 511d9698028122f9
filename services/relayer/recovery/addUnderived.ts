import type { FoundDelivery, PaidDelivery } from '../recipients/recovery/writeDeliveries.ts'
import type { FoundBlob } from './intentBook.ts'
import { placeOf, type RecoveredRows } from './recoveredRows.ts'

/** The blob was opened and its bundle is back, but a Safe that should be ours isn't derived again. */
export const NOT_DERIVED = 'SAFE_NOT_DERIVED'

/**
 * Notes the blobs whose Safes the enclave doesn't derive again: the destination isn't among its chains, or
 * a root is missing. Each blob is noted once.
 *
 * @param blobs the blob of each of `rows.deliveries`
 */
export function addUnderived(
  rows: RecoveredRows,
  blobs: readonly FoundBlob[],
  derived: readonly FoundDelivery[],
): void {
  const known = new Set(derived.map(nameOf))
  const lacking = blobs.filter((_, position) => !known.has(nameOf(rows.deliveries[position]!)))
  for (const blob of new Set(lacking)) rows.problems.push({ ...placeOf(blob), reason: NOT_DERIVED })
}

function nameOf({ recipientAddress, intentId, index, keyId }: PaidDelivery): string {
  return `${recipientAddress} ${intentId} ${index} ${keyId}`
}
