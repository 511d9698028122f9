import { createHash } from 'node:crypto'
import { bytesToHex, type Hex } from 'viem'

const LENGTH = 512
const VERSION = 0x01

/**
 * What stands in for the recovery blob of a played intent: its length and version byte are right,
 * the rest is noise, as a real one's would look to anybody without the key. It can't be opened.
 */
export function blobFor(seed: number, chainId: number, label: bigint | number): Hex {
  const bytes = new Uint8Array(LENGTH)
  for (let offset = 0; offset < LENGTH; offset += 32) {
    const text = `blob/${seed}/${chainId}/${label}/${offset}`
    bytes.set(createHash('sha256').update(text).digest(), offset)
  }
  bytes[0] = VERSION
  return bytesToHex(bytes)
}
