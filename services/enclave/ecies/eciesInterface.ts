/**
 * ECIES over secp256k1 in eciesjs' default wire format:
 *
 *     ephemeral public key, uncompressed (65) ‖ nonce (16) ‖ tag (16) ‖ AES-256-GCM ciphertext
 *
 * with the symmetric key HKDF-SHA256(ephemeral public key ‖ shared point), both uncompressed.
 */
export type Ecies = {
  /** The implementation: libsecp256k1, or eciesjs where no build of it is available. */
  implementation: 'native' | 'eciesjs'
  /**
   * @param publicKey 33 or 65 bytes
   * @throws when it isn't a point on the curve
   */
  encrypt(publicKey: Uint8Array, plaintext: Uint8Array): Uint8Array
  /**
   * @param privateKey 32 bytes
   * @throws when the ciphertext is invalid
   */
  decrypt(privateKey: Uint8Array, ciphertext: Uint8Array): Uint8Array
}

/** Bytes before the AES ciphertext. */
export const EPHEMERAL_KEY_BYTES = 65
