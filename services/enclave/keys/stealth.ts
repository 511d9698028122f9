import { secp256k1 } from '@noble/curves/secp256k1.js'
import { bytesToNumberBE, numberToBytesBE } from '@noble/curves/utils.js'
import { bytesToHex, keccak256 } from 'viem'
import { publicKeyToAddress } from 'viem/accounts'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import { curve } from './curve.ts'

const { Point } = secp256k1

/** The announcement of a delivery to a recipient (ERC-5564, scheme 1). */
export type Stealth = {
  /** Lower case. */
  stealthAddress: Hex
  /** 65 bytes. */
  ephemeralPubKey: Hex
  /** First byte of the hashed shared secret. */
  viewTag: number
}

/**
 * The stealth address of a recipient for one ephemeral key: `spendPub + s·G`, where `s` is keccak256 of the compressed
 * shared point.
 *
 * @param spendPublicKey 33 or 65 bytes, like `viewPublicKey`
 * @param ephemeralKey private, 32 bytes
 */
export function deriveStealthAddress(
  spendPublicKey: Uint8Array,
  viewPublicKey: Uint8Array,
  ephemeralKey: Uint8Array,
): Stealth {
  const secret = hashSharedSecret(ephemeralKey, viewPublicKey)
  const publicKey = curve.addScalar(spendPublicKey, numberToBytesBE(toScalar(secret), 32))
  return {
    stealthAddress: publicKeyToAddress(bytesToHex(publicKey)).toLowerCase() as Hex,
    ephemeralPubKey: bytesToHex(curve.publicKey(ephemeralKey)),
    viewTag: secret[0]!,
  }
}

/**
 * The private key of the address from `deriveStealthAddress`: `spend + s mod n`, 32 bytes.
 *
 * @param ephemeralPublicKey 33 or 65 bytes
 */
export function deriveStealthKey(
  spendKey: Uint8Array,
  viewKey: Uint8Array,
  ephemeralPublicKey: Uint8Array,
): Uint8Array {
  const secret = hashSharedSecret(viewKey, ephemeralPublicKey)
  const sum = (bytesToNumberBE(spendKey) + toScalar(secret)) % Point.Fn.ORDER
  return numberToBytesBE(sum, 32)
}

function hashSharedSecret(privateKey: Uint8Array, publicKey: Uint8Array): Uint8Array {
  return keccak256(curve.sharedPoint(privateKey, publicKey), 'bytes')
}

function toScalar(hash: Uint8Array): bigint {
  return bytesToNumberBE(hash) % Point.Fn.ORDER
}
