import { BLOB_BYTES, countCiphertextBytes } from './blobLayout.ts'
import { BlobFormatError } from './plaintextFormat.ts'

/** Bytes that ECIES adds to a plaintext: ephemeral key, nonce and tag. */
export const ECIES_OVERHEAD = 65 + 16 + 16

const LENGTH_BYTES = 4

/** Bytes of a padded plaintext in a blob of this many blocks. */
export function countPaddedBytes(blocks: number): number {
  return countCiphertextBytes(blocks) - ECIES_OVERHEAD
}

/** Blocks of 512 bytes that a plaintext needs, at least 1. */
export function countBlocks(plaintextBytes: number): number {
  const needed = plaintextBytes + LENGTH_BYTES + BLOB_BYTES - countPaddedBytes(1)
  return Math.max(1, Math.ceil(needed / BLOB_BYTES))
}

/**
 * Writes the plaintext's length, in 4 bytes, and the plaintext to the beginning of `filling`. The rest of the filling,
 * which should be random, is the padding. Changes and returns `filling`.
 *
 * @throws RangeError when it is too short
 */
export function padPlaintext(plaintext: Uint8Array, filling: Uint8Array): Uint8Array {
  if (filling.length < LENGTH_BYTES + plaintext.length) throw new RangeError('no room to pad')
  new DataView(filling.buffer, filling.byteOffset).setUint32(0, plaintext.length)
  filling.set(plaintext, LENGTH_BYTES)
  return filling
}

/** Removes the padding. @throws BlobFormatError when the length is invalid */
export function unpadPlaintext(padded: Uint8Array): Uint8Array {
  if (padded.length < LENGTH_BYTES) throw new BlobFormatError('bad padding')
  const size = new DataView(padded.buffer, padded.byteOffset).getUint32(0)
  if (size > padded.length - LENGTH_BYTES) throw new BlobFormatError('bad padding')
  return padded.subarray(LENGTH_BYTES, LENGTH_BYTES + size)
}
