import { bytesToHex, type Hex, hexToBytes, keccak256 } from 'viem'
import type { ReceiptLog } from '../../../core/proof/receipt.ts'

/** The 2048-bit bloom of logs: three bits for each address and topic (yellow paper, 4.3.1). */
export function computeBloom(logs: readonly ReceiptLog[]): Hex {
  const bloom = new Uint8Array(256)
  for (const log of logs) {
    for (const item of [log.address, ...log.topics]) {
      const hash = hexToBytes(keccak256(item))
      for (const at of [0, 2, 4]) {
        const bit = ((hash[at]! << 8) | hash[at + 1]!) & 2047
        bloom[255 - (bit >> 3)]! |= 1 << (bit & 7)
      }
    }
  }
  return bytesToHex(bloom)
}
