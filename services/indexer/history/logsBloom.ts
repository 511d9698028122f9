import { type Hex, keccak256 } from 'viem'

/** The three bits that a value sets in a 2048-bit logs bloom (Yellow Paper, 4.4.3). */
export type BloomBits = readonly [number, number, number]

export function bloomBits(value: string): BloomBits {
  const hash = keccak256(value as Hex)
  const bit = (pair: number) => Number.parseInt(hash.slice(2 + pair * 4, 6 + pair * 4), 16) & 0x7ff
  return [bit(0), bit(1), bit(2)]
}

/** Whether a block's `logsBloom` (0x and 512 hex digits) admits a value with these bits. */
export function bloomAdmits(logsBloom: string, bits: BloomBits): boolean {
  return bits.every((bit) => {
    // Bit 0 is the lowest bit of the last byte; a hex digit holds four.
    const digit = Number.parseInt(logsBloom[2 + 511 - (bit >> 2)] ?? '0', 16)
    return (digit & (1 << (bit & 3))) !== 0
  })
}

/** Some chains leave every bloom at zero, which means nothing. */
export function isUnset(logsBloom: string): boolean {
  return /^0x0*$/.test(logsBloom)
}
