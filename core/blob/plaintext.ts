import type { Hex } from '../../src/event/bridgeEvent.ts'

/** First byte of every plaintext of this layout. */
export const PLAINTEXT_VERSION = 1

/** How the recipients came to the relayer, in the order of the byte that says it. */
export const ORIGINS = ['blob', 'encrypted', 'plaintext'] as const
export type BlobOrigin = (typeof ORIGINS)[number]

/** A recipient that is a Safe: whose it is, and which derivation gave its owner. */
export type ShieldedRecipient = {
  /** Position in `recipients`. */
  position: number
  /** The registered wallet. */
  wallet: Hex
  /** 0 unless one wallet is paid more than once in an intent. */
  index: number
}

/** What a recovery blob says, once it is opened. Hex is lower case. */
export type BlobPlaintext = {
  sourceChainId: number
  bridge: Hex
  /** The intent's sender. */
  user: Hex
  paramsHash: Hex
  /** Absent in a blob made before the intent had an id. */
  intentId?: bigint | undefined
  /** Unix seconds. */
  createdAt: number
  origin: BlobOrigin
  recipients: Hex[]
  /** Base units of tokenB, one a recipient. */
  amounts: bigint[]
  metadata?: Record<string, string> | undefined
  viewers?: Hex[] | undefined
  /** SHA-256 of the sender's ciphertext, and of the 65-byte ephemeral public key at its front. */
  ciphertext?: { digest: Hex; ephemeralKeyDigest: Hex } | undefined
  shielded?: ShieldedRecipient[] | undefined
}

/** Bits of the second byte: which of the optional parts follow. */
export const PART = {
  intentId: 1,
  metadata: 2,
  viewers: 4,
  ciphertext: 8,
  shielded: 16,
} as const

/** Every bit that has a meaning. */
export const KNOWN_PARTS = 31

/** Bytes are not a plaintext of this layout, or not written in its one way. Says where, never what. */
export class BlobFormatError extends Error {
  override readonly name = 'BlobFormatError'
}
