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
  /** Whether the recipients stand, or the intent is over: what comes on chain now no longer counts. */
  isFirm: boolean
  /** What the relayer stores, on its way to the chain; null: nothing. Enclaves store nothing. */
  stored: { contents: BlobPlaintext; isSigned: boolean; isDisputed: boolean } | null
}

/** Seconds at most that recipients nobody has signed for wait in compat, in case others come. */
export const MOST_WAITING = 20

/** From when on recipients that nobody has signed for are anchored in compat, in unix seconds. */
export function unsignedFrom({
  createdAt,
  auctionDuration,
}: Pick<BundleState, 'createdAt' | 'auctionDuration'>): number {
  return createdAt + Math.min(Math.ceil(auctionDuration / 3), MOST_WAITING)
}
