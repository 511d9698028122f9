import { createCipheriv, hkdfSync } from 'node:crypto'
import { secp256k1 } from '@noble/curves/secp256k1.js'

/**
 * ECIES in eciesjs' wire format with a given ephemeral key and nonce: the same input makes the same bytes.
 * Never use the same two for another plaintext.
 *
 * @param publicKey 65 bytes
 */
export function encryptWith(
  publicKey: Uint8Array,
  plaintext: Uint8Array,
  { ephemeralKey, nonce }: { ephemeralKey: Uint8Array; nonce: Uint8Array },
): Uint8Array {
  const ephemeralPublic = secp256k1.getPublicKey(ephemeralKey, false)
  const shared = secp256k1.getSharedSecret(ephemeralKey, publicKey, false)
  const input = Buffer.concat([ephemeralPublic, shared])
  const key = new Uint8Array(hkdfSync('sha256', input, '', '', 32))
  const cipher = createCipheriv('aes-256-gcm', key, nonce)
  const body = [cipher.update(plaintext), cipher.final()]
  return Buffer.concat([ephemeralPublic, nonce, cipher.getAuthTag(), ...body])
}
