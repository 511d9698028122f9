import type { Hex } from '../../src/event/bridgeEvent.ts'
import type { BlobContents, BlobProblem } from '../enclave/port.ts'
import { bindingsOf } from './bindingsOf.ts'
import { BundleError, type BundleErrorCode } from './bundleError.ts'
import type { BundleVault } from './bundleVault.ts'
import { checkBundle } from './checkBundle.ts'
import { type CiphertextDigests, ciphertextDigests } from './ciphertextDigests.ts'
import { findBundle } from './findBundle.ts'
import { followCreation } from './followCreation.ts'
import { insertBundle } from './insertBundle.ts'
import type { IntentTerms } from './intentTerms.ts'
import { openStoredBundle } from './openStoredBundle.ts'
import { isSameBundle } from './sameBundle.ts'
import { sealBundle } from './storeBundle.ts'
import type { StoredBundle } from './storedBundle.ts'

/** What came of a blob that the sender attached to the creation. */
export type CreationBlobOutcome =
  | { outcome: 'stored' | 'already'; bundle: StoredBundle }
  /** It can't be used. `isSenders`: it names recipients for this creation all the same, as only its sender can. */
  | { outcome: 'unusable'; reason: UnusableReason; isSenders: boolean }

type UnusableReason = BlobProblem | BundleErrorCode | 'NOT_OF_A_CREATION'

/**
 * Stores the recipients that a creation's own blob carries. The blob is the sender's word, since it
 * came in the sender's own transaction: ask it before anything that somebody sends over HTTP.
 *
 * @param blob `encryptedBlob` of `IntentCreated`
 * @throws EnclaveError
 */
export async function storeCreationBlob(
  vault: BundleVault,
  terms: IntentTerms,
  blob: Hex,
): Promise<CreationBlobOutcome> {
  const opened = await vault.enclave.openBlob({ blob, expected: bindingsOf(terms) })
  if (!opened.ok) return { outcome: 'unusable', reason: opened.reason, isSenders: false }
  const { contents } = opened
  if (contents.origin !== 'blob' || contents.shielded || contents.ciphertext) {
    return unusable('NOT_OF_A_CREATION', contents)
  }
  try {
    checkBundle(contents, terms, vault.bridgeOn(terms.destChainId))
    return await keep(vault, terms, blob, contents)
  } catch (error) {
    if (error instanceof BundleError) return unusable(error.code, contents)
    throw error
  }
}

function unusable(reason: UnusableReason, { recipients }: BlobContents): CreationBlobOutcome {
  return { outcome: 'unusable', reason, isSenders: recipients.length > 0 }
}

async function keep(
  vault: BundleVault,
  terms: IntentTerms,
  blob: Hex,
  contents: BlobContents,
): Promise<CreationBlobOutcome> {
  const ciphertext = ciphertextDigests(blob)
  const bundle = await sealBundle(vault, { terms, contents, origin: 'blob', ciphertext })
  // Without a Safe among the recipients the chain has all of it already.
  const asCreated: StoredBundle =
    bundle.feeBps === 250 ? { ...bundle, sealed: blob, storedAt: contents.createdAt } : bundle
  if (await insert(vault, asCreated, blob, ciphertext)) {
    return { outcome: 'stored', bundle: asCreated }
  }
  const existing = await findBundle(vault.db, terms)
  if (existing && isSameBundle(await openStoredBundle(vault, terms, existing), contents)) {
    return { outcome: 'already', bundle: existing }
  }
  return unusable('ALREADY_STORED', contents)
}

async function insert(
  { db }: BundleVault,
  bundle: StoredBundle,
  blob: Hex,
  ciphertext: CiphertextDigests | null,
): Promise<boolean> {
  try {
    return await insertBundle(db, bundle, ciphertext)
  } catch (error) {
    const isReused = error instanceof BundleError && error.code === 'CIPHERTEXT_REUSED'
    if (!isReused || !ciphertext || !(await followCreation(db, bundle, blob, ciphertext))) {
      throw error
    }
    return insertBundle(db, bundle, ciphertext)
  }
}
