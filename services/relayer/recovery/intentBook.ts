import type { BridgeEvent, Hex } from '../../../src/event/bridgeEvent.ts'
import type { ChainEvent } from '../../../src/event/chainEvent.ts'
import { quickKeccak } from '../../../src/event/quickKeccak.ts'
import type { BlobBindings } from '../../enclave/enclaveInterface.ts'
import { blobBindingsOf } from '../terms/blobBindingsOf.ts'
import type { IntentTerms } from '../terms/intentTerms.ts'
import { termsOfCreation } from '../terms/termsOf.ts'

/** What to remember of an intent while reading its chain's history. */
type BookedIntent = {
  terms: IntentTerms
  expected: BlobBindings
  /** The creation's own blob; null without one. */
  creation: Hex | null
  hasBlob: boolean
}

/** A blob found on chain, and where. */
export type FoundBlob = {
  event: 'IntentCreated' | 'IntentAnchored' | 'BlobAppended'
  intentId: bigint
  blob: Hex
  expected: BlobBindings
  blockNumber: number
  /** Unix seconds. */
  blockTimestamp: number
  logIndex: number
  /** Whether it repeats the creation's, under an anchor without its own. */
  isRepeated: boolean
}

/** The intents of one chain, by id. */
export type IntentBook = {
  intents: Map<bigint, BookedIntent>
  /** Blobs seen so far. */
  blobs: number
}

export function openBook(): IntentBook {
  return { intents: new Map(), blobs: 0 }
}

/**
 * Enters an event into the book.
 *
 * @returns the blob to be opened for it: the event's own, or the creation's for an anchor without one
 */
export function enter(book: IntentBook, event: ChainEvent): FoundBlob | null {
  if (event.type === 'IntentCreated') return enterCreation(book, event)
  if (event.type !== 'IntentAnchored' && event.type !== 'BlobAppended') return null
  const intent = book.intents.get(event.args.intentId)
  // A bridge that is followed from a block after its deployment: the terms are not known.
  if (intent === undefined) return null
  const { encryptedBlob } = event.args
  if (encryptedBlob !== '0x') return found(book, intent, event, encryptedBlob)
  if (event.type !== 'IntentAnchored' || intent.creation === null) return null
  const { creation: blob, expected } = intent
  return { ...placeOf(event), blob, expected, isRepeated: true }
}

function enterCreation(
  book: IntentBook,
  event: Extract<BridgeEvent, { type: 'IntentCreated' }>,
): FoundBlob | null {
  const terms = termsOfCreation(event, quickKeccak)
  const { encryptedBlob: blob } = event.args
  const intent: BookedIntent = {
    terms,
    expected: blobBindingsOf(terms),
    creation: blob === '0x' ? null : blob,
    hasBlob: false,
  }
  book.intents.set(terms.intentId, intent)
  return blob === '0x' ? null : found(book, intent, event, blob)
}

type BlobEvent = Extract<BridgeEvent, { type: 'IntentCreated' | 'IntentAnchored' | 'BlobAppended' }>

function found(book: IntentBook, intent: BookedIntent, event: BlobEvent, blob: Hex): FoundBlob {
  book.blobs++
  intent.hasBlob = true
  return { ...placeOf(event), blob, expected: intent.expected, isRepeated: false }
}

function placeOf({ type, args, point }: BlobEvent) {
  const { blockNumber, blockTimestamp, logIndex } = point
  return { event: type, intentId: args.intentId, blockNumber, blockTimestamp, logIndex }
}
