import { createHash } from 'node:crypto'
import { bytesToHex, type Hex } from 'viem'

/** Bytes of the smallest blob; its second byte encodes the size. */
const LENGTH = 512
const VERSION = 0x01
const UNITS = 1

/**
 * A placeholder for a simulated intent's recovery blob: the length and first bytes are right, the rest is noise, as in a
 * real one without the key. It can't be opened.
 */
export function createPlaceholderBlob(seed: number, chainId: number, label: bigint | number): Hex {
  const bytes = new Uint8Array(LENGTH)
  for (let offset = 0; offset < LENGTH; offset += 32) {
    const text = `blob/${seed}/${chainId}/${label}/${offset}`
    bytes.set(createHash('sha256').update(text).digest(), offset)
  }
  bytes[0] = VERSION
  bytes[1] = UNITS
  return bytesToHex(bytes)
}
