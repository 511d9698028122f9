import type { Hex } from '../../src/event/bridgeEvent.ts'
import { appendBlob } from './appendBlob.ts'
import { bindingsOf } from './bindingsOf.ts'
import { BundleError } from './bundleError.ts'
import type { BundleVault } from './bundleVault.ts'
import { findMetadata } from './findMetadata.ts'
import type { IntentTerms } from './intentTerms.ts'
import { isSameMetadata } from './sameBundle.ts'

/** What a sender keeps beside an intent. Addresses in lower case. */
export type Metadata = { metadata: Record<string, string>; viewers: Hex[] }

/**
 * Stores an intent's metadata and viewers, sealed, to be appended on chain. They can't be changed: the
 * same again is `already` there.
 *
 * @throws BundleError `ALREADY_STORED` for others; EnclaveError `METADATA_TOO_LARGE`
 */
export async function storeMetadata(
  vault: BundleVault,
  terms: IntentTerms,
  given: Metadata,
): Promise<'stored' | 'already'> {
  const existing = await findMetadata(vault, terms)
  if (existing) return meet(existing, given)
  const storedAt = vault.now()
  const { blob: sealed } = await vault.enclave.sealBlob({
    ...bindingsOf(terms),
    ...{ recipients: [], amounts: [], origin: 'plaintext', createdAt: storedAt },
    ...given,
  })
  const { sourceChainId, intentId } = terms
  const blob = { sourceChainId, intentId, sealed, purpose: 'metadata' as const, storedAt }
  const isFirst = await vault.db
    .transaction()
    .execute((transaction) => appendBlob(transaction, blob))
  if (isFirst) return 'stored'
  const other = await findMetadata(vault, terms)
  if (!other) throw new Error('an intent’s metadata comes and goes')
  return meet(other, given)
}

function meet(existing: Metadata, given: Metadata): 'already' {
  if (isSameMetadata(existing, given)) return 'already'
  throw new BundleError('ALREADY_STORED', 'Metadata already stored')
}
