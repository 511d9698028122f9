import { secp256k1 } from '@noble/curves/secp256k1.js'
import { decrypt, encrypt } from 'eciesjs'
import type { Ecies } from './eciesInterface.ts'
import { loadNativeCurve } from './nativeCurve.ts'
import { createNativeEcies } from './nativeEcies.ts'

/**
 * Loads the fastest available ECIES. The native one is only used after it agrees with eciesjs on a message in each
 * direction, so that a broken build can't seal what nobody can open.
 */
export async function loadEcies(): Promise<Ecies> {
  const portable = createPortableEcies()
  const native = await tryNative()
  return native !== null && isInteroperable(native, portable) ? native : portable
}

async function tryNative(): Promise<Ecies | null> {
  const curve = await loadNativeCurve()
  return curve && createNativeEcies(curve).catch(() => null)
}

function isInteroperable(one: Ecies, other: Ecies): boolean {
  const privateKey = new Uint8Array(32).fill(7)
  const publicKey = secp256k1.getPublicKey(privateKey, false)
  const message = Buffer.from('what one seals the other opens')
  try {
    return [
      [one, other],
      [other, one],
    ].every(([sealer, opener]) => {
      const sealed = sealer!.encrypt(publicKey, message)
      return message.equals(opener!.decrypt(privateKey, sealed))
    })
  } catch {
    return false
  }
}

/** ECIES by eciesjs itself: works everywhere, a hundred times slower. */
export function createPortableEcies(): Ecies {
  return {
    implementation: 'eciesjs',
    encrypt: (publicKey, plaintext) => encrypt(publicKey, plaintext),
    decrypt: (privateKey, ciphertext) => decrypt(privateKey, ciphertext),
  }
}
