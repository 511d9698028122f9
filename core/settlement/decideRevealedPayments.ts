import type { Hex } from '../../src/event/bridgeEvent.ts'
import {
  type BundleIntent,
  findEffectiveBundle,
  type ReadBlob,
} from '../recipientBundle/findEffectiveBundle.ts'
import type { BlobPlaintext, RegisteredRecipient } from '../recoveryBlob/plaintextFormat.ts'

/** Whom an intent's winner must pay, or why that can't be revealed. */
export type PaymentsDecision =
  | {
      ok: true
      /** Of the root from which the Safes follow. */
      keyId: Hex
      contents: BlobPlaintext
      /** Which of them are paid at Safes. */
      registered: readonly RegisteredRecipient[]
    }
  | { ok: false; code: 'KEY_MISSING' | 'RECIPIENTS_UNKNOWN' }

/**
 * Decides whom the winner of an intent pays, from its blobs from before `firmAt` alone.
 *
 * @param hasKey whether the enclave has a key; without the intent's own key it reveals nothing, since other blobs might
 *   then seem to count
 */
export function decideRevealedPayments(
  intent: BundleIntent,
  blobs: readonly ReadBlob[],
  hasKey: (keyId: Hex) => boolean,
): PaymentsDecision {
  const { keyId, bundle } = findEffectiveBundle(intent, blobs)
  if (keyId !== null && !hasKey(keyId)) return { ok: false, code: 'KEY_MISSING' }
  if (keyId === null || bundle === null) return { ok: false, code: 'RECIPIENTS_UNKNOWN' }
  return { ok: true, keyId, contents: bundle.contents, registered: bundle.registered ?? [] }
}

/**
 * Whether no enclave can ever reveal recipients: under the intent's key, its blobs name none, not even unsigned ones,
 * which compat accepts. Without revealed recipients there can be no delivery.
 */
export function hasNoRecipients(
  intent: BundleIntent,
  blobs: readonly ReadBlob[],
  hasKey: (keyId: Hex) => boolean,
): boolean {
  const decision = decideRevealedPayments({ ...intent, mode: 'compat' }, blobs, hasKey)
  return !decision.ok && decision.code === 'RECIPIENTS_UNKNOWN'
}
