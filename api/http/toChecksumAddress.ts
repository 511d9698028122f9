import { keccak_256 } from '@noble/hashes/sha3.js'
import { LRUCache } from 'lru-cache'
import type { Hex } from '../../src/event/bridgeEvent.ts'

/** Tokens, solvers and a busy day's senders repeat, so their checksums are cached. */
const cache = new LRUCache<Hex, Hex>({ max: 20_000 })

/**
 * An address with its EIP-55 checksum.
 *
 * @param address 0x and 40 hex digits in lower case, as in rows; not validated
 */
export function toChecksumAddress(address: Hex): Hex {
  const known = cache.get(address)
  if (known !== undefined) return known
  const checked = withChecksum(address)
  cache.set(address, checked)
  return checked
}

function withChecksum(address: Hex): Hex {
  const digits = address.slice(2)
  const hash = keccak_256(Buffer.from(digits, 'latin1'))
  let checked = '0x'
  for (let place = 0; place < 40; place++) {
    const nibble = place % 2 === 0 ? hash[place >> 1]! >> 4 : hash[place >> 1]! & 15
    const digit = digits[place] as string
    checked += nibble >= 8 ? digit.toUpperCase() : digit
  }
  return checked as Hex
}
