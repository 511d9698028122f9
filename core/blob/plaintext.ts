import type { Hex } from '../../src/event/bridgeEvent.ts'

/** First byte of every plaintext of this layout. */
export const PLAINTEXT_VERSION = 1

/** A recipient that was a registered wallet when an enclave signed for the blob. */
export type RegisteredRecipient = {
  /** Position in `recipients`. */
  position: number
  /** Whether the wallet is a contract on the destination chain; else it is a key. */
  isContract: boolean
}

/** What a recovery blob says, once it is opened. Hex is lower case. */
export type BlobPlaintext = {
  sourceChainId: number
  bridge: Hex
  /** The intent's sender. */
  user: Hex
  paramsHash: Hex
  /** The sender's own numbering of what it names; a creation's is 0. */
  n: number
  /** Absent in a blob made before the intent had an id. */
  intentId?: bigint | undefined
  /** Unix seconds, 32 bits. */
  createdAt: number
  recipients: Hex[]
  /** Base units of tokenB, one a recipient; 96 bits each. */
  amounts: bigint[]
  salt: Hex
  /** By ascending position. Empty is the same as absent. */
  registered: RegisteredRecipient[]
  metadata?: Record<string, string> | undefined
  viewers?: Hex[] | undefined
  /** The sender's, 65 bytes, over `storeRecipientsMessage`. */
  signature?: Hex | undefined
}

/** Bits of the second byte: which of the optional parts follow. */
export const PART = {
  intentId: 1,
  metadata: 2,
  viewers: 4,
  signature: 8,
  registered: 16,
} as const

/** Every bit that has a meaning. */
export const KNOWN_PARTS = 31

/** Bit of a registered recipient's 16 that says that the wallet is a contract. */
export const CONTRACT_BIT = 0x80_00

/** Bytes of an amount: what the bridge takes for `expectedAmountB`. */
export const AMOUNT_BYTES = 12

/**
 * Bytes are not a plaintext of this layout in its only encoding. The message says where, never what.
 */
export class BlobFormatError extends Error {
  override readonly name = 'BlobFormatError'
}
