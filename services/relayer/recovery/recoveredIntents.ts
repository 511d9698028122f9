import { listReplacedWallets } from '../../../core/settlement/calculatePayments.ts'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import type { ChainEvent } from '../../../src/event/chainEvent.ts'
import { quickKeccak } from '../../../src/event/quickKeccak.ts'
import type { BlobBindings, OpenedBlob } from '../../enclave/enclaveInterface.ts'
import type { StoredBundle } from '../recipientBundles/recipientBundleStore.ts'
import { blobBindingsOf, termsOfCreation } from '../terms/intentTerms.ts'

/** What recovery remembers of an intent while it reads the chain's history. */
type BookedIntent = {
  destChainId: number
  expected: BlobBindings
  /** The creation's own blob; null if it has none. */
  creation: Hex | null
  hasBlob: boolean
}

/** A blob on chain, and where it was found. */
export type FoundBlob = {
  event: 'IntentCreated' | 'IntentAnchored' | 'BlobAppended'
  intentId: bigint
  blob: Hex
  expected: BlobBindings
  blockNumber: number
  /** Unix seconds. */
  blockTimestamp: number
  logIndex: number
  /** Whether it is the creation's blob again, because the anchor has none of its own. */
  isRepeated: boolean
}

/** The intents of one chain, by id. */
export type RecoveredIntents = {
  intents: Map<bigint, BookedIntent>
  /** Number of blobs so far. */
  blobs: number
}

export function createRecoveredIntents(): RecoveredIntents {
  return { intents: new Map(), blobs: 0 }
}

/**
 * Adds an event to the book.
 *
 * @returns the blob to open for it: the event's own, or the creation's for an anchor without one
 */
export function addRecoveredEvent(book: RecoveredIntents, event: ChainEvent): FoundBlob | null {
  const { type, point } = event
  if (type !== 'IntentCreated' && type !== 'IntentAnchored' && type !== 'BlobAppended') return null
  const { intentId, encryptedBlob } = event.args
  const isEmpty = encryptedBlob === '0x'
  if (type === 'IntentCreated') {
    const terms = termsOfCreation(event, quickKeccak)
    const creation = isEmpty ? null : encryptedBlob
    const expected = blobBindingsOf(terms)
    const { destChainId } = terms
    book.intents.set(intentId, { destChainId, expected, creation, hasBlob: false })
  }
  const intent = book.intents.get(intentId)
  // The bridge is followed from a block after its deployment, so the terms are unknown.
  if (intent === undefined) return null
  const blob = isEmpty && type === 'IntentAnchored' ? intent.creation : encryptedBlob
  if (blob === null || blob === '0x') return null
  if (!isEmpty) {
    book.blobs++
    intent.hasBlob = true
  }
  const { blockNumber, blockTimestamp, logIndex } = point
  const place = { event: type, intentId, blockNumber, blockTimestamp, logIndex }
  return { ...place, blob, expected: intent.expected, isRepeated: isEmpty }
}

/** A restored bundle is on chain already. */
export type RecoveredBundle = Omit<StoredBundle, 'ciphertextDigest' | 'isDisputed'>

/** A payment to a registered wallet, according to a blob on chain. In lower case. */
type PaidDelivery = {
  recipientAddress: Hex
  /** The chain of a contract wallet; undefined for a key. */
  contractOn: number | undefined
  chainId: number
  intentId: bigint
  index: number
  /** Id of the key that the blob is sealed to, from whose root the Safe is derived. */
  keyId: Hex
  blob: FoundBlob
}

/** Rows of schema `app` restored from a part of a chain's history. */
export type RecoveredRows = {
  /** Bundles of anchored intents, in the chain's order. Any of an intent's would do; the last is kept. */
  bundles: RecoveredBundle[]
  /** Registered wallets that blobs pay at Safes. */
  deliveries: PaidDelivery[]
  problems: { blob: FoundBlob; reason: string }[]
}

/** Adds what an opened blob restores. */
export function addRows(
  rows: RecoveredRows,
  book: RecoveredIntents,
  blob: FoundBlob,
  opened: OpenedBlob,
): void {
  if (!opened.ok) {
    if (!blob.isRepeated) rows.problems.push({ blob, reason: opened.reason })
    return
  }
  // An unanchored creation's blob is on chain, and needs only its anchor.
  if (blob.event === 'IntentCreated' || opened.contents.recipients.length === 0) return
  const { intentId, blockTimestamp: storedAt } = blob
  const { sourceChainId, paramsHash } = blob.expected
  const { n, signature, registered, recipients } = opened.contents
  const isSigned = signature !== undefined
  const sealed = blob.blob
  rows.bundles.push({ sourceChainId, intentId, paramsHash, n, isSigned, sealed, storedAt })
  const { destChainId: chainId } = book.intents.get(intentId)!
  for (const { wallet, index, isContract } of listReplacedWallets({ recipients }, registered)) {
    const contractOn = isContract ? chainId : undefined
    const delivery = { recipientAddress: wallet, contractOn, chainId, intentId, index }
    rows.deliveries.push({ ...delivery, keyId: opened.keyId, blob })
  }
}
