import type { BridgeEvent, Hex } from '../../src/event/bridgeEvent.ts'
import { bindingsOf } from '../bundles/bindingsOf.ts'
import type { IntentTerms } from '../bundles/intentTerms.ts'
import { termsOfCreation } from '../bundles/termsOf.ts'
import type { BlobBindings } from '../enclave/port.ts'
import { quickKeccak } from './quickKeccak.ts'

/** What has to be remembered of an intent while its chain's history goes by. */
export type BookedIntent = {
  terms: IntentTerms
  expected: BlobBindings
  /** The creation's own blob; null without one. */
  creation: CreationBlob | null
  isAnchored: boolean
  hasBlob: boolean
}

export type CreationBlob = {
  blob: Hex
  /** Undefined until it is opened; null when it can't be used. */
  createdAt: number | null | undefined
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
  /** Of the anchor; null elsewhere. */
  feeBps: number | null
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
export function enter(book: IntentBook, event: BridgeEvent): FoundBlob | null {
  if (event.type === 'IntentCreated') return enterCreation(book, event)
  if (event.type !== 'IntentAnchored' && event.type !== 'BlobAppended') return null
  const intent = book.intents.get(event.args.intentId)
  // A bridge that is followed from a block after its deployment: the terms are not known.
  if (intent === undefined) return null
  if (event.type === 'IntentAnchored') intent.isAnchored = true
  const feeBps = event.type === 'IntentAnchored' ? event.args.feeBps : null
  const { encryptedBlob } = event.args
  if (encryptedBlob !== '0x') return found(book, intent, event, encryptedBlob, feeBps)
  if (feeBps === null || intent.creation === null) return null
  return { ...placeOf(event), blob: intent.creation.blob, expected: intent.expected, feeBps }
}

function enterCreation(
  book: IntentBook,
  event: Extract<BridgeEvent, { type: 'IntentCreated' }>,
): FoundBlob | null {
  const terms = termsOfCreation(event)
  const { encryptedBlob: blob } = event.args
  const intent: BookedIntent = {
    terms,
    expected: bindingsOf(terms, quickKeccak),
    creation: blob === '0x' ? null : { blob, createdAt: undefined },
    isAnchored: false,
    hasBlob: false,
  }
  book.intents.set(terms.intentId, intent)
  return blob === '0x' ? null : found(book, intent, event, blob, null)
}

type BlobEvent = Extract<BridgeEvent, { type: 'IntentCreated' | 'IntentAnchored' | 'BlobAppended' }>

function found(
  book: IntentBook,
  intent: BookedIntent,
  event: BlobEvent,
  blob: Hex,
  feeBps: number | null,
): FoundBlob {
  book.blobs++
  intent.hasBlob = true
  return { ...placeOf(event), blob, expected: intent.expected, feeBps }
}

function placeOf({ type, args, point }: BlobEvent) {
  const { blockNumber, blockTimestamp, logIndex } = point
  return { event: type, intentId: args.intentId, blockNumber, blockTimestamp, logIndex }
}
