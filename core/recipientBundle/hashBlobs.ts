import { bytesToHex } from 'viem'
import type { Hex } from '../../src/event/bridgeEvent.ts'
import { foldBlobsHash, NO_BLOBS } from '../../src/event/foldBlobsHash.ts'

/** The contract's commitment to these blobs, in order. */
export function hashBlobs(blobs: readonly { kind: number; blob: Uint8Array }[]): Hex {
  return blobs.reduce(
    (hash, { kind, blob }) => foldBlobsHash(hash, kind, bytesToHex(blob)),
    NO_BLOBS,
  )
}
