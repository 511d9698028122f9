import { existsSync } from 'node:fs'
import { registerHooks } from 'node:module'
import type { Hex } from 'viem'

/** The part of `@scopelift/stealth-address-sdk` that is compared with; its own types can't be resolved. */
type StealthSdk = {
  generateStealthAddress(given: {
    stealthMetaAddressURI: string
    ephemeralPrivateKey: Uint8Array
  }): { stealthAddress: Hex; ephemeralPublicKey: Hex; viewTag: Hex }
  computeStealthKey(given: {
    ephemeralPublicKey: Hex
    schemeId: number
    spendingPrivateKey: Hex
    viewingPrivateKey: Hex
  }): Hex
  checkStealthAddress(given: {
    ephemeralPublicKey: Hex
    schemeId: number
    spendingPublicKey: Hex
    userStealthAddress: Hex
    viewingPrivateKey: Hex
    viewTag: Hex
  }): boolean
}

/** Another ERC-5564 implementation to compare with. Its files import each other without extensions. */
export async function loadThirdPartyStealth(): Promise<StealthSdk> {
  const hooks = registerHooks({
    resolve(specifier, context, next) {
      if (!specifier.startsWith('.') || !context.parentURL?.includes('@scopelift')) {
        return next(specifier, context)
      }
      const isFile = existsSync(new URL(`${specifier}.js`, context.parentURL))
      const file = isFile ? `${specifier}.js` : `${specifier.replace(/\/$/, '')}/index.js`
      return next(file, context)
    },
  })
  try {
    return await import('@scopelift/stealth-address-sdk/dist/utils/crypto/index.js' as string)
  } finally {
    hooks.deregister()
  }
}
