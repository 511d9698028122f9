import { keccak256, zeroHash } from 'viem'
import type { Hex } from './bridgeEvent.ts'
import type { Keccak } from './paramsHash.ts'

/** How a blob came on chain: with the creation, with the anchor, by an append, by the sender's own call. */
export const BLOB_KIND = { creation: 1, anchor: 2, append: 3, sender: 4 } as const

/** A `blobsHash` while no blob is on chain. */
export const NO_BLOBS: Hex = zeroHash

/**
 * The contract's commitment to all blobs of an intent, after one more:
 * `keccak256(abi.encode(previous, kind, keccak256(blob)))`. An anchor's blob counts when it is empty too.
 *
 * @param keccak another keccak256, for who hashes the blobs of many
 */
export function foldBlobsHash(
  previous: Hex,
  kind: number,
  blob: Hex,
  keccak: Keccak = (bytes) => keccak256(bytes),
): Hex {
  const kindWord = kind.toString(16).padStart(64, '0')
  return keccak(`0x${previous.slice(2)}${kindWord}${keccak(blob).slice(2)}`)
}
