import { createHash } from 'node:crypto'
import { hexToBytes } from 'viem'
import type { Hex } from '../../src/event/bridgeEvent.ts'
import type { AppendedBlob } from '../bundles/appendBlob.ts'
import { checkBundle } from '../bundles/checkBundle.ts'
import { type CiphertextDigests, ciphertextDigests } from '../bundles/ciphertextDigests.ts'
import type { StoredBundle } from '../bundles/storedBundle.ts'
import type { BlobContents, OpenedBlob } from '../enclave/port.ts'
import type { PaidDelivery } from '../recipients/recovery/writeDeliveries.ts'
import type { BookedIntent, FoundBlob, IntentBook } from './intentBook.ts'

/** Rows of schema `app` that a part of a chain's history brings back. */
export type RecoveredRows = {
  /** As anchored: what the chain says is so. */
  bundles: StoredBundle[]
  /** From creations: whatever is stored already is newer. */
  unanchored: StoredBundle[]
  /** `digest` is SHA-256 of the blob. */
  appended: (AppendedBlob & { digest: Hex })[]
  ciphertexts: { ephemeralKeyDigest: Hex; intentId: bigint }[]
  /**
   * Bundles that took another's place, by the digest of their blob: whatever ciphertexts the intent had
   * before serve no more. `kept` is the digest of its own one's ephemeral key.
   */
  replacements: { intentId: bigint; blob: Hex; kept: Hex | null }[]
  /** Bundles that were given out to be anchored, which they are: nothing replaces them any more. */
  anchored: { intentId: bigint; at: number }[]
  /** Recipients that are Safes of ours, whoever's. */
  deliveries: PaidDelivery[]
  problems: (Pick<FoundBlob, 'event' | 'intentId' | 'blockNumber' | 'logIndex'> & {
    reason: string
  })[]
}

export function noRows(): RecoveredRows {
  return {
    ...{ bundles: [], unanchored: [], appended: [], ciphertexts: [] },
    ...{ replacements: [], anchored: [], deliveries: [], problems: [] },
  }
}

/** Adds what an opened blob brings back, the way the relayer had written it. */
export function addRows(
  rows: RecoveredRows,
  book: IntentBook,
  found: FoundBlob,
  opened: OpenedBlob,
): void {
  const intent = book.intents.get(found.intentId)!
  const own = intent.creation?.blob
  const isCreations = found.event === 'IntentCreated' || found.blob === own
  const reason = opened.ok ? (isCreations ? whyUnusable(opened.contents) : null) : opened.reason
  if (isCreations && intent.creation !== null) {
    intent.creation.createdAt = opened.ok && reason === null ? opened.contents.createdAt : null
  }
  if (!opened.ok || reason !== null) {
    const isRepeated = found.event === 'IntentAnchored' && isCreations
    if (!isRepeated) rows.problems.push({ ...placeOf(found), reason: reason ?? 'BAD_PLAINTEXT' })
    return
  }
  const { contents } = opened
  rows.deliveries.push(...deliveriesOf(intent, contents))
  if (found.event === 'IntentAnchored') addBundle(rows, found, contents, found.feeBps as 250 | 700)
  else if (found.event === 'BlobAppended') addAppended(rows, found, contents)
}

function deliveriesOf(
  { terms: { destChainId: chainId, intentId } }: BookedIntent,
  { recipients, shielded = [], createdAt }: BlobContents,
): PaidDelivery[] {
  return shielded.map(({ position, wallet, index }) => {
    const safeAddress = recipients[position]!
    return { recipientAddress: wallet, chainId, intentId, index, safeAddress, createdAt }
  })
}

/**
 * Adds the bundle of a creation's blob that nobody has anchored yet, if the relayer would take it.
 * The fee is that of plain recipients: with a Safe among them it was sealed anew, and not on chain.
 *
 * @param destinationBridge null when the destination isn't configured
 */
export function addUnanchored(
  rows: RecoveredRows,
  { terms, creation }: BookedIntent,
  opened: OpenedBlob,
  destinationBridge: Hex | null,
): void {
  if (creation === null || !opened.ok || whyUnusable(opened.contents) !== null) return
  try {
    checkBundle(opened.contents, terms, destinationBridge)
  } catch {
    return
  }
  const { sourceChainId, intentId } = terms
  const place = { sourceChainId, intentId, blob: creation.blob }
  rows.unanchored.push(bundleOf(rows, place, opened.contents, 250))
}

/** A creation's blob is the sender's own: it names no Safe, and came in no other ciphertext. */
function whyUnusable({ origin, shielded, ciphertext }: BlobContents): string | null {
  return origin === 'blob' && !shielded && !ciphertext ? null : 'NOT_OF_A_CREATION'
}

function addBundle(
  rows: RecoveredRows,
  { expected, intentId, blob, blockTimestamp }: FoundBlob,
  contents: BlobContents,
  feeBps: 250 | 700,
): void {
  const place = { sourceChainId: expected.sourceChainId, intentId, blob }
  rows.bundles.push(bundleOf(rows, place, contents, feeBps))
  rows.anchored.push({ intentId, at: blockTimestamp })
}

/** The row of a bundle; what its ciphertext leaves behind is added to `rows`. */
function bundleOf(
  rows: RecoveredRows,
  place: { sourceChainId: number; intentId: bigint; blob: Hex },
  { origin, createdAt, ciphertext }: BlobContents,
  feeBps: 250 | 700,
): StoredBundle {
  const { sourceChainId, intentId, blob: sealed } = place
  const digests = ciphertext ?? (origin === 'blob' ? ciphertextDigests(sealed) : null)
  addCiphertext(rows, intentId, digests)
  return {
    ...{ sourceChainId, intentId, sealed, feeBps, origin },
    ciphertextDigest: digests?.digest ?? null,
    storedAt: createdAt,
  }
}

function addAppended(rows: RecoveredRows, found: FoundBlob, contents: BlobContents): void {
  const { intentId, blob: sealed, expected } = found
  const { recipients, ciphertext = null, createdAt: storedAt } = contents
  const digest: Hex = `0x${createHash('sha256').update(hexToBytes(sealed)).digest('hex')}`
  const purpose = recipients.length > 0 ? 'bundle' : 'metadata'
  const { sourceChainId } = expected
  rows.appended.push({ sourceChainId, intentId, sealed, storedAt, purpose, digest })
  addCiphertext(rows, intentId, ciphertext)
  if (purpose !== 'bundle') return
  const kept = ciphertext?.ephemeralKeyDigest ?? null
  rows.replacements.push({ intentId, blob: digest, kept })
}

function addCiphertext(
  rows: RecoveredRows,
  intentId: bigint,
  digests: CiphertextDigests | null,
): void {
  if (digests === null) return
  rows.ciphertexts.push({ ephemeralKeyDigest: digests.ephemeralKeyDigest, intentId })
}

/** Where a blob was found. */
export function placeOf({ event, intentId, blockNumber, logIndex }: FoundBlob) {
  return { event, intentId, blockNumber, logIndex }
}
