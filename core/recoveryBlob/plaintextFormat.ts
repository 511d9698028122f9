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

/** The content of a recovery blob. Hex is lower case. */
export type BlobPlaintext = {
  sourceChainId: number
  bridge: Hex
  /** The intent's sender. */
  user: Hex
  paramsHash: Hex
  /** The sender's own number of this bundle; a creation's is 0. */
  n: number
  /** Absent in a blob made before the intent had an id. */
  intentId?: bigint | undefined
  /** Unix seconds, 32 bits. */
  createdAt: number
  recipients: Hex[]
  /** Base units of tokenB, one per recipient; 96 bits each. */
  amounts: bigint[]
  salt: Hex
  /** By ascending position. Empty means the same as absent. */
  registered: RegisteredRecipient[]
  metadata?: Record<string, string> | undefined
  viewers?: Hex[] | undefined
  /** The sender's signature of `storeRecipientsMessage`, 65 bytes. */
  signature?: Hex | undefined
}

/** Bits of the second byte: the optional parts that follow. */
export const PART = {
  intentId: 1,
  metadata: 2,
  viewers: 4,
  signature: 8,
  registered: 16,
} as const

/** All defined bits. */
export const KNOWN_PARTS = 31

/** The bit of a registered recipient's 16 that marks a contract. */
export const CONTRACT_BIT = 0x80_00

/** Bytes of an amount: the bridge's limit for `expectedAmountB`. */
export const AMOUNT_BYTES = 12

/** The bytes are not a plaintext in this layout's only encoding. The message names the problem, never a value. */
export class BlobFormatError extends Error {
  override readonly name = 'BlobFormatError'
}
