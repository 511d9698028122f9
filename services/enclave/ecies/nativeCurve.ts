import type secp256k1Bindings from 'secp256k1/bindings.js'

/**
 * libsecp256k1, or null where it can't be loaded. Not the package's entry point, which silently falls back to slow
 * JavaScript.
 */
export async function loadNativeCurve(): Promise<typeof secp256k1Bindings | null> {
  try {
    return (await import('secp256k1/bindings.js')).default
  } catch {
    return null
  }
}
