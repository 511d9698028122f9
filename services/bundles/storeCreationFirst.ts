import type { Hex } from '../../src/event/bridgeEvent.ts'
import { BundleError } from './bundleError.ts'
import type { BundleVault } from './bundleVault.ts'
import { findBundle } from './findBundle.ts'
import { forgetBundle } from './forgetBundle.ts'
import type { IntentTerms } from './intentTerms.ts'
import { openStoredBundle } from './openStoredBundle.ts'
import { storeCreationBlob } from './storeCreationBlob.ts'

/**
 * Stores what the sender attached to the creation before anything that somebody sends to us, unless
 * recipients of this very creation are there. Those of one that a reorg took away are forgotten.
 *
 * @param creationBlob `encryptedBlob` of `IntentCreated`
 * @returns whether recipients of this creation are stored
 * @throws BundleError `BUNDLE_UNREADABLE`; EnclaveError
 */
export async function storeCreationFirst(
  vault: BundleVault,
  terms: IntentTerms,
  creationBlob: Hex,
): Promise<boolean> {
  const stored = await findBundle(vault.db, terms)
  if (stored && (await isOfThisCreation(vault, terms, stored.sealed))) return true
  if (stored) await forgetBundle(vault.db, terms, stored.sealed)
  if (creationBlob === '0x') return false
  await storeCreationBlob(vault, terms, creationBlob)
  return (await findBundle(vault.db, terms)) !== null
}

async function isOfThisCreation(
  vault: BundleVault,
  terms: IntentTerms,
  sealed: Hex,
): Promise<boolean> {
  try {
    await openStoredBundle(vault, terms, { sealed })
    return true
  } catch (error) {
    if (error instanceof BundleError && error.code === 'BUNDLE_OF_ANOTHER_CREATION') return false
    throw error
  }
}
