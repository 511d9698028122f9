import { gcm } from '@noble/ciphers/aes.js'
import { secp256k1 } from '@noble/curves/secp256k1.js'
import { hkdf } from '@noble/hashes/hkdf.js'
import { sha256 } from '@noble/hashes/sha2.js'
import { concatBytes, randomBytes } from '@noble/hashes/utils.js'

export const KEY_BYTES = 65
export const NONCE_BYTES = 16
export const TAG_BYTES = 16

/**
 * ECIES on secp256k1 in the default form of eciesjs and Go's ecies/v2: ephemeral public key (65 bytes), nonce (16), tag
 * (16), ciphertext; AES-256-GCM under a key derived by HKDF-SHA256 from the ephemeral public key and the shared point, both
 * uncompressed. Implemented here because eciesjs depends on three more curves.
 *
 * @param publicKey 65 bytes, or 33
 */
export function encryptTo(publicKey: Uint8Array, plaintext: Uint8Array): Uint8Array {
  const ephemeral = secp256k1.utils.randomSecretKey()
  const sender = secp256k1.getPublicKey(ephemeral, false)
  const shared = secp256k1.Point.fromBytes(publicKey)
    .multiply(secp256k1.Point.Fn.fromBytes(ephemeral))
    .toBytes(false)
  const key = hkdf(sha256, concatBytes(sender, shared), undefined, undefined, 32)
  const nonce = randomBytes(NONCE_BYTES)
  const sealed = gcm(key, nonce).encrypt(plaintext)
  const end = sealed.length - TAG_BYTES
  return concatBytes(sender, nonce, sealed.subarray(end), sealed.subarray(0, end))
}
