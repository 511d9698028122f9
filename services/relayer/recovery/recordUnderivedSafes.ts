import type { FoundDelivery, PaidDelivery } from '../recipients/recovery/writeDeliveries.ts'
import type { FoundBlob } from './intentBook.ts'
import { placeOf, type RecoveredRows } from './recoveredRows.ts'

/** The blob was opened and its bundle restored, but one of its Safes can't be derived. */
export const NOT_DERIVED = 'SAFE_NOT_DERIVED'

/**
 * Records, once each, the blobs whose Safes the enclave can't derive: the destination isn't among its
 * chains, or a root is missing.
 *
 * @param blobs the blob of each of `rows.deliveries`
 */
export function recordUnderivedSafes(
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
