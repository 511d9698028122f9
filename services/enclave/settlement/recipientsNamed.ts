import type { Hex } from '../../../src/event/bridgeEvent.ts'
import type { BlobContents, OpenedBlob } from '../messages.ts'

/** A blob of an intent as the chain has it. */
export type BlobOnChain = {
  event: 'IntentCreated' | 'IntentAnchored' | 'BlobAppended'
  blob: Hex
}

/** Appended blobs of before a deposit that count, the last ones: the enclave takes 16 proofs in all. */
export const MOST_APPENDED = 12

/**
 * Whom an intent's blobs name: the last that opens, is of this intent and has recipients. The one rule
 * by which a winner is told whom to pay and by which its delivery is attested.
 *
 * @param blobs of before the deposit, in the chain's order
 * @param open as `openBlob` of the enclave, for this intent's bindings
 * @returns null when no blob names anybody; `KEY_MISSING` when one that the relayer sealed was made for
 *   a key that the enclave doesn't have: an earlier blob must not be taken for it
 */
export async function recipientsNamed(
  blobs: readonly BlobOnChain[],
  open: (blob: Hex) => OpenedBlob | Promise<OpenedBlob>,
): Promise<BlobContents | 'KEY_MISSING' | null> {
  for (const { event, blob } of blobs.toReversed()) {
    const opened = await open(blob)
    if (opened.ok && opened.contents.recipients.length > 0) return opened.contents
    // A creation's blob is the sender's own, for whatever key it likes.
    const isRelayers = event !== 'IntentCreated'
    if (!opened.ok && opened.reason === 'UNKNOWN_KEY' && isRelayers) return 'KEY_MISSING'
  }
  return null
}
