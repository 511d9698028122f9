import { bytesToHex } from 'viem'
import type { Hex } from '../../src/event/bridgeEvent.ts'

/** Size of a recovery blob in bytes; in an anchor also a multiple of it. */
export const BLOB_BYTES = 512

/** First byte of every blob of this layout. */
export const BLOB_VERSION = 0x01

const KEY_ID_BYTES = 4
const HEADER_BYTES = 1 + KEY_ID_BYTES

/** `createIntent`'s selector and seven words: the blob, if there is one, follows them in calldata. */
const CREATE_INTENT_BYTES = 4 + 7 * 32

/** A recovery blob taken apart: `0x01 | keyId (4 bytes) | ciphertext, padded by whoever encrypted`. */
export type BlobParts = {
  /** First 4 bytes of the keccak256 of the public key that it is encrypted to. */
  keyId: Hex
  /** ECIES ciphertext: fills the blob to its end. */
  ciphertext: Hex
}

/** Takes a blob apart; null when its size or version is not of this layout. Opens nothing. */
export function splitBlob(blob: Hex): BlobParts | null {
  const bytes = sizeOf(blob)
  if (!isBlob(bytes, byteAt(blob, 0))) return null
  return { keyId: slice(blob, 1, HEADER_BYTES), ciphertext: slice(blob, HEADER_BYTES, bytes) }
}

/** `splitBlob` of bytes: the ciphertext is a part of them, not a copy. */
export function splitBlobBytes(blob: Uint8Array): { keyId: Hex; ciphertext: Uint8Array } | null {
  if (!isBlob(blob.length, blob[0])) return null
  return {
    keyId: bytesToHex(blob.subarray(1, HEADER_BYTES)),
    ciphertext: blob.subarray(HEADER_BYTES),
  }
}

function isBlob(size: number, version: number | undefined): boolean {
  return size > 0 && size % BLOB_BYTES === 0 && version === BLOB_VERSION
}

/**
 * Puts a blob together. Throws a RangeError unless `keyId` has 4 bytes and `ciphertext` fills a
 * positive multiple of 512 bytes exactly (padding is inside the ciphertext, so it can't be added here).
 */
export function joinBlob({ keyId, ciphertext }: BlobParts): Hex {
  if (sizeOf(keyId) !== KEY_ID_BYTES) throw new RangeError('a key id has 4 bytes')
  const bytes = HEADER_BYTES + sizeOf(ciphertext)
  if (bytes === HEADER_BYTES || bytes % BLOB_BYTES !== 0) {
    throw new RangeError(`a blob of ${bytes} bytes is not a multiple of ${BLOB_BYTES}`)
  }
  return `0x01${keyId.slice(2)}${ciphertext.slice(2)}`.toLowerCase() as Hex
}

/** How many bytes of ciphertext a blob of `blocks` times 512 bytes takes. */
export function ciphertextBytes(blocks = 1): number {
  return blocks * BLOB_BYTES - HEADER_BYTES
}

/**
 * The blob behind a `createIntent` call's arguments, as the contract reads it: exactly 512 bytes
 * that begin with the version, `0x` when there are fewer or the version is another. What follows the
 * blob is ignored, since wallets append attribution suffixes.
 */
export function trailingBlob(calldata: Hex): Hex {
  const end = CREATE_INTENT_BYTES + BLOB_BYTES
  if (sizeOf(calldata) < end || byteAt(calldata, CREATE_INTENT_BYTES) !== BLOB_VERSION) return '0x'
  return slice(calldata, CREATE_INTENT_BYTES, end)
}

function sizeOf(hex: Hex): number {
  return (hex.length - 2) / 2
}

function byteAt(hex: Hex, index: number): number {
  return Number.parseInt(hex.slice(2 + 2 * index, 4 + 2 * index), 16)
}

function slice(hex: Hex, from: number, to: number): Hex {
  return `0x${hex.slice(2 + 2 * from, 2 + 2 * to)}`.toLowerCase() as Hex
}
