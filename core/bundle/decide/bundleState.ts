import type { BlobPlaintext } from '../../blob/plaintext.ts'
import type { BundleIntent, ReadBlob } from '../effectiveBundle.ts'

/** What is known of an intent's bundle. Times in unix seconds of the source chain. */
export type BundleState = {
  intent: BundleIntent
  /** On chain, in the chain's order. */
  blobs: readonly ReadBlob[]
  /** As anchored; 0 before. */
  feeBps: number
  createdAt: number
  /** Seconds. */
  auctionDuration: number
  /** Whether the recipients are final or the intent is over, so that new blobs no longer count. */
  isFirm: boolean
  /** What the relayer stores, on its way to the chain; null: nothing. Enclaves store nothing. */
  stored: { contents: BlobPlaintext; isSigned: boolean; isDisputed: boolean } | null
}

/** How long unsigned recipients wait in compat at most, in seconds, in case others come. */
export const MAX_UNSIGNED_WAIT = 20

/** When unsigned recipients may be anchored in compat, in unix seconds. */
export function findUnsignedAnchorTime({
  createdAt,
  auctionDuration,
}: Pick<BundleState, 'createdAt' | 'auctionDuration'>): number {
  return createdAt + Math.min(Math.ceil(auctionDuration / 3), MAX_UNSIGNED_WAIT)
}
