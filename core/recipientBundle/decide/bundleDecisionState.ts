import type { BlobPlaintext } from '../../recoveryBlob/plaintextFormat.ts'
import type { BundleIntent, ReadBlob } from '../findEffectiveBundle.ts'

/** The state of an intent's bundle. Times in unix seconds of the source chain. */
export type BundleState = {
  intent: BundleIntent
  /** On chain, in the chain's order. */
  blobs: readonly ReadBlob[]
  /** As anchored; 0 before the anchor. */
  feeBps: number
  createdAt: number
  /** Seconds. */
  auctionDuration: number
  /** Whether the recipients are final or the intent has ended, so that new blobs don't count. */
  isFirm: boolean
  /** The bundle that the relayer stores until it is on chain; null without one. Enclaves store nothing. */
  stored: { contents: BlobPlaintext; isSigned: boolean; isDisputed: boolean } | null
}

/**
 * Most blobs of an intent to which more recipients, metadata or viewers may be added. Every enclave needs all of them in
 * one message: without a limit, a sender could add blobs until its winner can be told, but not be settled.
 */
export const MAX_BLOBS = 64

/** Longest delay of unsigned recipients in compat, in seconds, in case others arrive. */
export const MAX_UNSIGNED_WAIT = 20

/** When unsigned recipients may be anchored in compat, in unix seconds. */
export function findUnsignedAnchorTime({
  createdAt,
  auctionDuration,
}: Pick<BundleState, 'createdAt' | 'auctionDuration'>): number {
  return createdAt + Math.min(Math.ceil(auctionDuration / 3), MAX_UNSIGNED_WAIT)
}
