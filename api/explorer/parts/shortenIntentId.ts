import { shortenHex } from './shortenHex.ts'

/** The sequence number in an id, whose other half is the chain. */
export function shortenIntentId(id: string): string {
  const sequence = BigInt(id) & ((1n << 64n) - 1n)
  return sequence < 10n ** 12n ? `#${sequence}` : shortenHex(id)
}
