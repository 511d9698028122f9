import { gcm } from '@noble/ciphers/aes.js'
import { secp256k1 } from '@noble/curves/secp256k1.js'
import { hkdf } from '@noble/hashes/hkdf.js'
import { sha256 } from '@noble/hashes/sha2.js'
import { concatBytes } from '@noble/hashes/utils.js'
import { KEY_BYTES, NONCE_BYTES, TAG_BYTES } from './encryptTo.ts'

/**
 * Decrypts what `encryptTo` has encrypted to this key.
 *
 * @throws for anything else
 */
export function decryptWith(secretKey: Uint8Array, sealed: Uint8Array): Uint8Array {
  const sender = sealed.subarray(0, KEY_BYTES)
  const nonce = sealed.subarray(KEY_BYTES, KEY_BYTES + NONCE_BYTES)
  const [tagAt, textAt] = [KEY_BYTES + NONCE_BYTES, KEY_BYTES + NONCE_BYTES + TAG_BYTES]
  const shared = secp256k1.Point.fromBytes(sender)
    .multiply(secp256k1.Point.Fn.fromBytes(secretKey))
    .toBytes(false)
  const key = hkdf(sha256, concatBytes(sender, shared), undefined, undefined, 32)
  const text = concatBytes(sealed.subarray(textAt), sealed.subarray(tagAt, textAt))
  return gcm(key, nonce).decrypt(text)
}
