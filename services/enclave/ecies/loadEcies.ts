import { secp256k1 } from '@noble/curves/secp256k1.js'
import type { Ecies } from './eciesInterface.ts'
import { createNativeEcies } from './nativeEcies.ts'
import { createPortableEcies } from './portableEcies.ts'

/**
 * Loads the fastest available ECIES. The native one is only used after it agrees with eciesjs on a message in each
 * direction, so that a broken build can't seal what nobody can open.
 */
export async function loadEcies(): Promise<Ecies> {
  const portable = createPortableEcies()
  const native = await tryNative()
  return native !== null && isInteroperable(native, portable) ? native : portable
}

/** Not the package's entry point, which silently falls back to slow JavaScript. */
async function tryNative(): Promise<Ecies | null> {
  try {
    const { default: curve } = await import('secp256k1/bindings.js')
    return await createNativeEcies(curve)
  } catch {
    return null
  }
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
