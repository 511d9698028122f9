import type { Hex } from '../../src/event/bridgeEvent.ts'
import { BundleError } from './bundleError.ts'
import type { BundleVault } from './bundleVault.ts'
import { findBundle } from './findBundle.ts'
import { forgetBundle } from './forgetBundle.ts'
import type { IntentTerms } from './intentTerms.ts'
import { openStoredBundle } from './openStoredBundle.ts'
import { storeCreationBlob } from './storeCreationBlob.ts'

/**
 * Whether recipients of a creation are stored. `refused`: its sender has attached some that can't be taken,
 * and nobody else is to name others in its place.
 */
export type FirstRecipients = 'stored' | 'refused' | 'none'

/**
 * Stores what the sender attached to the creation before anything that somebody sends to us, unless
 * recipients of this very creation are there. Those of one that a reorg took away are forgotten.
 *
 * @param creationBlob `encryptedBlob` of `IntentCreated`
 * @throws BundleError `BUNDLE_UNREADABLE`; EnclaveError
 */
export async function storeCreationFirst(
  vault: BundleVault,
  terms: IntentTerms,
  creationBlob: Hex,
): Promise<FirstRecipients> {
  const stored = await findBundle(vault.db, terms)
  if (stored && (await isOfThisCreation(vault, terms, stored.sealed))) return 'stored'
  if (stored) await forgetBundle(vault.db, terms, stored.sealed)
  if (creationBlob === '0x') return 'none'
  const attached = await storeCreationBlob(vault, terms, creationBlob)
  if ((await findBundle(vault.db, terms)) !== null) return 'stored'
  return attached.outcome === 'unusable' && attached.isSenders ? 'refused' : 'none'
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
