import { decrypt, encrypt } from 'eciesjs'
import type { Ecies } from './eciesInterface.ts'

/** ECIES by eciesjs itself: works everywhere, a hundred times slower. */
export function createPortableEcies(): Ecies {
  return {
    implementation: 'eciesjs',
    encrypt: (publicKey, plaintext) => encrypt(publicKey, plaintext),
    decrypt: (privateKey, ciphertext) => decrypt(privateKey, ciphertext),
  }
}
