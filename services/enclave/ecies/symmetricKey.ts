import { hash } from 'node:crypto'

const BLOCK = 64
const INNER = 0x36
const OUTER = 0x5c

/** Ephemeral public key and shared point, 65 bytes each. */
const INPUT_BYTES = 130

/**
 * HKDF-SHA256 of 130 bytes to 32, without salt and info. Written out as the four hashes that it is:
 * objects for HMAC or HKDF cost several times as much, and this runs once for each blob on chain.
 */
export function createSymmetricKey(): (input: Uint8Array) => Buffer {
  // HMAC under a key of zeros: its two first blocks never change.
  const inner = Buffer.alloc(BLOCK + INPUT_BYTES, INNER)
  const outer = Buffer.alloc(BLOCK + 32, OUTER)
  const expandInner = Buffer.alloc(BLOCK + 1)
  const expandOuter = Buffer.alloc(BLOCK + 32)
  return (input) => {
    inner.set(input, BLOCK)
    outer.set(hash('sha256', inner, 'buffer'), BLOCK)
    const pseudoRandomKey = hash('sha256', outer, 'buffer')
    pad(expandInner, pseudoRandomKey, INNER)
    pad(expandOuter, pseudoRandomKey, OUTER)
    expandInner[BLOCK] = 1
    expandOuter.set(hash('sha256', expandInner, 'buffer'), BLOCK)
    return hash('sha256', expandOuter, 'buffer')
  }
}

function pad(block: Buffer, key: Buffer, byte: number): void {
  for (let at = 0; at < 32; at++) block[at] = key[at]! ^ byte
  block.fill(byte, 32, BLOCK)
}
