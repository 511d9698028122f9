import { keccak_256 } from '@noble/hashes/sha3.js'
import type { Hex } from '../../src/event/bridgeEvent.ts'

/** Addresses of one generation of the memory; two generations are kept. */
const GENERATION = 10_000

let young = new Map<Hex, Hex>()
let old = new Map<Hex, Hex>()

/**
 * An address as EIP-55 writes it. Tokens, solvers and a busy day's senders repeat, so their hashes
 * are cached.
 *
 * @param address 0x and 40 hex digits in lower case, as rows have them; nothing is checked
 */
export function checksummed(address: Hex): Hex {
  const known = young.get(address)
  if (known !== undefined) return known
  const written = old.get(address) ?? writtenAnew(address)
  if (young.size >= GENERATION) {
    old = young
    young = new Map()
  }
  young.set(address, written)
  return written
}

function writtenAnew(address: Hex): Hex {
  const digits = address.slice(2)
  const hash = keccak_256(Buffer.from(digits, 'latin1'))
  let written = '0x'
  for (let place = 0; place < 40; place++) {
    const nibble = place % 2 === 0 ? hash[place >> 1]! >> 4 : hash[place >> 1]! & 15
    const digit = digits[place] as string
    written += nibble >= 8 ? digit.toUpperCase() : digit
  }
  return written as Hex
}
