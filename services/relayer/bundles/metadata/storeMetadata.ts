import { bundleOnChain } from '../../../../core/bundle/bundleOnChain.ts'
import { isSameMetadata } from '../../../../core/bundle/sameBundle.ts'
import type { Hex } from '../../../../src/event/bridgeEvent.ts'
import type { BlobContents } from '../../../enclave/enclaveInterface.ts'
import { blobBindingsOf } from '../../terms/blobBindingsOf.ts'
import { BundleError } from '../../terms/bundleError.ts'
import type { IntentTerms } from '../../terms/intentTerms.ts'
import { loadBlobsOnChain } from '../../terms/loadBlobsOnChain.ts'
import { openBundleOnChain } from '../onChain/openBundleOnChain.ts'
import type { BundleContext } from '../stored/bundleContext.ts'
import { findBundle } from '../stored/findBundle.ts'
import { openStoredBundle } from '../stored/openStoredBundle.ts'
import { saveBundle } from '../stored/saveBundle.ts'
import type { StoredBundle } from '../stored/storedBundle.ts'
import { metadataOf } from './findMetadata.ts'

/** What a sender stores with an intent. Addresses in lower case. */
export type Metadata = { metadata: Record<string, string>; viewers: Hex[] }

const ROUNDS = 5

/**
 * Stores an intent's metadata and viewers, sealed together with its recipients, to be put on chain. They
 * can't be changed: the same again is `already` there.
 *
 * @param recipientClass see `openBundleOnChain`
 * @throws BundleError `ALREADY_STORED` for others, `BUNDLE_INVALID` while nobody is named; EnclaveError
 *   `METADATA_TOO_LARGE`
 */
export async function storeMetadata(
  vault: BundleContext,
  terms: IntentTerms,
  recipientClass: number | null,
  given: Metadata,
): Promise<'stored' | 'already'> {
  for (let round = 1; round <= ROUNDS; round++) {
    const stored = await findBundle(vault.db, terms)
    const bundle = await latestBundle(vault, terms, recipientClass, stored)
    const known = metadataOf(bundle)
    if (known && !isSameMetadata(known, given)) {
      throw new BundleError('ALREADY_STORED', 'Metadata already stored')
    }
    if (known) return 'already'
    if (await save(vault, terms, stored, { ...bundle, ...given })) return 'stored'
  }
  throw new Error('the intent’s bundle changed meanwhile: try again')
}

async function latestBundle(
  vault: BundleContext,
  terms: IntentTerms,
  recipientClass: number | null,
  stored: StoredBundle | null,
): Promise<BlobContents> {
  if (stored) return openStoredBundle(vault, terms, stored)
  const blobs = await loadBlobsOnChain(vault.db, terms)
  const named = bundleOnChain(await openBundleOnChain(vault, terms, blobs, recipientClass))
  if (named) return named.contents
  throw new BundleError('BUNDLE_INVALID', 'store the intent’s recipients first', 'recipients')
}

async function save(
  { db, enclave, now }: BundleContext,
  terms: IntentTerms,
  instead: StoredBundle | null,
  { recipients, amounts, n, salt, metadata, viewers, signature }: BlobContents,
): Promise<boolean> {
  const { blob: sealed } = await enclave.sealBlob({
    ...blobBindingsOf(terms),
    ...{ recipients, amounts, n, salt, metadata, viewers, createdAt: now() },
    ...(signature && { signature }),
  })
  const { sourceChainId, intentId, paramsHash } = terms
  const isSigned = instead ? instead.isSigned : signature !== undefined
  const ciphertextDigest = instead?.ciphertextDigest ?? null
  const bundle = { sourceChainId, intentId, paramsHash, n, isSigned, sealed, ciphertextDigest }
  return saveBundle(db, { ...bundle, storedAt: now() }, null, instead)
}
