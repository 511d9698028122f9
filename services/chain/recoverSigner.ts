import secp256k1 from 'secp256k1'
import { bytesToHex, hexToBytes } from 'viem'
import { publicKeyToAddress } from 'viem/accounts'
import type { Hex } from '../../src/event/bridgeEvent.ts'

/** As `signerOf` of the core, twenty times as fast: who made a signature over a hash; null for none. */
export function recoverSigner(hash: Hex, signature: Hex): Hex | null {
  const bytes = hexToBytes(signature)
  const recovery = (bytes[64] ?? 0) - 27
  if (bytes.length !== 65 || (recovery !== 0 && recovery !== 1)) return null
  try {
    const key = secp256k1.ecdsaRecover(bytes.subarray(0, 64), recovery, hexToBytes(hash), false)
    return publicKeyToAddress(bytesToHex(key)).toLowerCase() as Hex
  } catch {
    return null
  }
}
