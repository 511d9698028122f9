import { secp256k1 } from '@noble/curves/secp256k1.js'
import { bytesToHex, hexToBytes } from 'viem'
import { publicKeyToAddress } from 'viem/accounts'
import type { Hex } from '../../src/event/bridgeEvent.ts'

/** The signer of a 65-byte signature over a hash, in lower case; null if it isn't a signature. */
export function recoverSigner(hash: Hex, signature: Hex): Hex | null {
  const bytes = hexToBytes(signature)
  const last = bytes[64]
  const recovery = last === 27 || last === 28 ? last - 27 : last
  if (bytes.length !== 65 || (recovery !== 0 && recovery !== 1)) return null
  try {
    const parsed = secp256k1.Signature.fromBytes(bytes.subarray(0, 64)).addRecoveryBit(recovery)
    const publicKey = parsed.recoverPublicKey(hexToBytes(hash)).toBytes(false)
    return publicKeyToAddress(bytesToHex(publicKey)).toLowerCase() as Hex
  } catch {
    return null
  }
}
