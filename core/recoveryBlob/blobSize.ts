import { countBlocks } from './padPlaintext.ts'
import { AMOUNT_BYTES } from './plaintextFormat.ts'

/** Maximum number of an intent's recipients: the limit of `solveIntent`. */
export const MAX_RECIPIENTS = 200

/** Version, parts, chain, bridge, sender, terms, n, time, number of recipients, salt. */
const FIXED_BYTES = 1 + 1 + 8 + 20 + 20 + 32 + 8 + 4 + 2 + 32

/** A length, and an id of the form `(chain << 64) | sequence`. */
const INTENT_ID_BYTES = 17

const RECIPIENT_BYTES = 20 + AMOUNT_BYTES
const SIGNATURE_BYTES = 65

/** Blobs with metadata or viewers grow in steps of this many blocks, so that their size reveals little. */
const STEP = 4

/** The recipient class: the number of recipients, rounded up to a power of two. */
export function toRecipientClass(recipients: number): number {
  return 2 ** Math.ceil(Math.log2(Math.max(1, recipients)))
}

/**
 * Blocks of 512 bytes of a blob that a sender puts on chain itself: what the largest bundle of its class needs, so that
 * the length reveals only the class. Eight recipients fit into one block.
 */
export function countSenderBlocks(recipientClass: number): number {
  const recipients = Math.min(recipientClass, MAX_RECIPIENTS)
  return countBlocks(FIXED_BYTES + INTENT_ID_BYTES + recipients * RECIPIENT_BYTES)
}

/** The same for a blob that an enclave seals: with a signature, and every wallet registered. */
export function countSealedBlocks(recipientClass: number): number {
  const recipients = Math.min(recipientClass, MAX_RECIPIENTS)
  const size = FIXED_BYTES + INTENT_ID_BYTES + SIGNATURE_BYTES + 2
  return countBlocks(size + recipients * (RECIPIENT_BYTES + 2))
}

/** `least` blocks, or the next step that fits a plaintext with metadata or viewers. */
export function roundUpBlocks(plaintextBytes: number, least: number): number {
  const more = Math.max(0, countBlocks(plaintextBytes) - least)
  return least + Math.ceil(more / STEP) * STEP
}
