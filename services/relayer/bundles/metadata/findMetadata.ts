import { bundleOnChain } from '../../../../core/bundle/bundleOnChain.ts'
import { namingHash } from '../../../../core/bundle/naming.ts'
import type { Hex } from '../../../../src/event/bridgeEvent.ts'
import type { BlobContents } from '../../../enclave/enclaveInterface.ts'
import type { IntentTerms } from '../../terms/intentTerms.ts'
import { loadBlobsOnChain } from '../../terms/loadBlobsOnChain.ts'
import { openBundleOnChain } from '../onChain/openBundleOnChain.ts'
import type { BundleContext } from '../stored/bundleContext.ts'
import { findBundle } from '../stored/findBundle.ts'
import { openStoredBundle } from '../stored/openStoredBundle.ts'
import type { Metadata } from './storeMetadata.ts'

/** Metadata, and the `namingHash` of the bundle that it is of. */
type FoundMetadata = Metadata & { namingHash: Hex }

/**
 * An intent's metadata and viewers: those on their way to the chain, else those that are there; null when
 * there are none.
 *
 * @param recipientClass see `openBundleOnChain`
 * @throws BundleError `BUNDLE_UNREADABLE`; EnclaveError
 */
export async function findMetadata(
  vault: BundleContext,
  terms: IntentTerms,
  recipientClass: number | null,
): Promise<FoundMetadata | null> {
  const stored = await findBundle(vault.db, terms)
  const own = stored && withNaming(await openStoredBundle(vault, terms, stored))
  if (own) return own
  const blobs = await loadBlobsOnChain(vault.db, terms)
  const named = bundleOnChain(await openBundleOnChain(vault, terms, blobs, recipientClass))
  return named && withNaming(named.contents)
}

function withNaming(contents: BlobContents): FoundMetadata | null {
  const found = metadataOf(contents)
  return found && { ...found, namingHash: namingHash(contents) }
}

/** Null for a bundle without any. */
export function metadataOf({ metadata, viewers }: BlobContents): Metadata | null {
  if (metadata === undefined && viewers === undefined) return null
  return { metadata: metadata ?? {}, viewers: viewers ?? [] }
}
