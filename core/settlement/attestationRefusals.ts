import type { DeliveryRecord } from '../proof/storage/deliveryRecord.ts'
import type { Phase } from '../proof/storage/intentRecord.ts'

/** What an enclave signs in which phase of an intent. */
export const SIGNABLE_PHASES = {
  anchor: ['open'],
  append: ['open', 'deposited', 'settled'],
  reveal: ['deposited', 'settled'],
  settlement: ['deposited'],
  notDelivered: ['deposited'],
} as const satisfies Record<string, readonly Phase[]>

/** The basis for an attestation, proven at blocks that are deep enough. Times in unix seconds. */
export type AttestationCase = {
  fillDeadline: number
  /** The destination bridge's delivery under the revealed payments' key; null if there is none. */
  delivery: DeliveryRecord | null
  /** Of the destination's block. */
  destinationTime: number
}

/** Why an enclave doesn't attest that the winner delivered in time; null when it does. */
export function findSettlementRefusal({
  delivery,
  fillDeadline,
}: Omit<AttestationCase, 'destinationTime'>): 'NOT_DELIVERED' | null {
  return delivery === null || delivery.solvedAt >= fillDeadline ? 'NOT_DELIVERED' : null
}

/**
 * Why an enclave doesn't attest that the winner failed to deliver in time; null when it does. In the end, exactly one
 * of the two is attested.
 */
export function findNotDeliveredRefusal({
  delivery,
  fillDeadline,
  destinationTime,
}: AttestationCase): 'DELIVERED' | 'NOT_CONFIRMED' | null {
  if (delivery !== null && delivery.solvedAt < fillDeadline) return 'DELIVERED'
  return destinationTime < fillDeadline ? 'NOT_CONFIRMED' : null
}
