import { createKeccak } from 'hash-wasm'
import type { Hex } from './bridgeEvent.ts'

const hasher = await createKeccak(256)

/**
 * keccak256 in WebAssembly: a tenth of what it takes in JavaScript, which counts where a whole chain is hashed. Not for
 * what the SDK or a browser loads.
 */
export function quickKeccak(bytes: Hex): Hex {
  return `0x${hasher
    .init()
    .update(Buffer.from(bytes.slice(2), 'hex'))
    .digest('hex')}`
}
