import { bytesToHex } from 'viem'
import type { Hex } from '../../src/event/bridgeEvent.ts'

/** A recovery blob's size is a multiple of this many bytes. */
export const BLOB_BYTES = 512

/** Largest multiple: the bridge accepts at most 16,384 bytes. */
export const MAX_BLOCKS = 32

/** First byte of every blob of this layout. */
const BLOB_VERSION = 0x01

const KEY_ID_BYTES = 4
const KEY_ID_AT = 2
const HEADER_BYTES = KEY_ID_AT + KEY_ID_BYTES

/** The parts of a recovery blob: `0x01 | k | keyId (4 bytes) | ciphertext, padded before encryption`. */
type BlobParts = {
  /** First 4 bytes of the keccak256 of the public key that it is encrypted to. */
  keyId: Hex
  /** ECIES ciphertext, up to the end of the blob's k · 512 bytes. */
  ciphertext: Hex
}

/**
 * Splits a blob without decrypting it; null if its size or version doesn't fit this layout. The ciphertext is a view of
 * the blob, not a copy.
 */
export function splitBlobBytes(blob: Uint8Array): { keyId: Hex; ciphertext: Uint8Array } | null {
  if (!isBlob(blob.length, blob[0], blob[1])) return null
  return {
    keyId: bytesToHex(blob.subarray(KEY_ID_AT, HEADER_BYTES)),
    ciphertext: blob.subarray(HEADER_BYTES),
  }
}

function isBlob(size: number, version: number | undefined, blocks: number | undefined): boolean {
  return version === BLOB_VERSION && isBlockCount(blocks) && size === blocks * BLOB_BYTES
}

function isBlockCount(blocks: number | undefined): blocks is number {
  return blocks !== undefined && blocks >= 1 && blocks <= MAX_BLOCKS
}

/**
 * Assembles a blob.
 *
 * @throws RangeError unless `keyId` has 4 bytes and the ciphertext, which includes the padding, fills 1 to 32 times 512
 *   bytes exactly
 */
export function joinBlob({ keyId, ciphertext }: BlobParts): Hex {
  if (countBytes(keyId) !== KEY_ID_BYTES) throw new RangeError('a key id has 4 bytes')
  const blocks = (HEADER_BYTES + countBytes(ciphertext)) / BLOB_BYTES
  if (!Number.isInteger(blocks) || !isBlockCount(blocks)) {
    throw new RangeError(`a blob has 1 to ${MAX_BLOCKS} times ${BLOB_BYTES} bytes, not ${blocks}`)
  }
  const k = blocks.toString(16).padStart(2, '0')
  return `0x01${k}${keyId.slice(2)}${ciphertext.slice(2)}`.toLowerCase() as Hex
}

/** Bytes of ciphertext in a blob of `blocks` times 512 bytes. */
export function countCiphertextBytes(blocks = 1): number {
  return blocks * BLOB_BYTES - HEADER_BYTES
}

function countBytes(hex: Hex): number {
  return (hex.length - 2) / 2
}
