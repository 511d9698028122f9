import { createCipheriv, hkdfSync } from 'node:crypto'
import { secp256k1 } from '@noble/curves/secp256k1.js'
import { toPrivateKey } from '../keys/deriveKey.ts'

/** Bytes that determine ephemeral key and nonce. */
export const SEED_BYTES = 48 + 16

/**
 * ECIES in eciesjs' wire format with given randomness: the same input gives the same bytes. Never reuse the randomness
 * for another plaintext.
 *
 * @param publicKey 65 bytes
 * @param chance `SEED_BYTES` bytes
 */
export function encryptWithSeed(
  publicKey: Uint8Array,
  plaintext: Uint8Array,
  chance: Uint8Array,
): Uint8Array {
  const ephemeralKey = toPrivateKey(chance.subarray(0, 48))
  const nonce = chance.subarray(48)
  const ephemeralPublic = secp256k1.getPublicKey(ephemeralKey, false)
  const shared = secp256k1.getSharedSecret(ephemeralKey, publicKey, false)
  const input = Buffer.concat([ephemeralPublic, shared])
  const key = new Uint8Array(hkdfSync('sha256', input, '', '', 32))
  const cipher = createCipheriv('aes-256-gcm', key, nonce)
  const body = [cipher.update(plaintext), cipher.final()]
  return Buffer.concat([ephemeralPublic, nonce, cipher.getAuthTag(), ...body])
}
