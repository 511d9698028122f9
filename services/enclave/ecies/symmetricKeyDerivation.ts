import { createSHA256 } from 'hash-wasm'

const BLOCK = 64
const INNER = 0x36
const OUTER = 0x5c

/** Ephemeral public key and shared point, 65 bytes each. */
const INPUT_BYTES = 130

/**
 * HKDF-SHA256 of 130 bytes to 32, without salt and info. Written out as its four hashes, in WebAssembly: for so few
 * bytes, OpenSSL takes twice as long, HMAC or HKDF objects several times as long, and this runs once for each blob on
 * chain.
 */
export async function createSymmetricKeyDerivation(): Promise<(input: Uint8Array) => Uint8Array> {
  const hasher = await createSHA256()
  const sha256 = (bytes: Uint8Array) => hasher.init().update(bytes).digest('binary')
  // HMAC with a key of zeros: its first two blocks are constant.
  const inner = Buffer.alloc(BLOCK + INPUT_BYTES, INNER)
  const outer = Buffer.alloc(BLOCK + 32, OUTER)
  const expandInner = Buffer.alloc(BLOCK + 1)
  const expandOuter = Buffer.alloc(BLOCK + 32)
  return (input) => {
    inner.set(input, BLOCK)
    outer.set(sha256(inner), BLOCK)
    const pseudoRandomKey = sha256(outer)
    pad(expandInner, pseudoRandomKey, INNER)
    pad(expandOuter, pseudoRandomKey, OUTER)
    expandInner[BLOCK] = 1
    expandOuter.set(sha256(expandInner), BLOCK)
    return sha256(expandOuter)
  }
}

function pad(block: Buffer, key: Uint8Array, byte: number): void {
  for (let at = 0; at < 32; at++) block[at] = key[at]! ^ byte
  block.fill(byte, 32, BLOCK)
}
