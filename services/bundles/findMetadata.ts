import { sql } from 'kysely'
import { bytesToHex } from 'viem'
import type { BlobContents } from '../enclave/port.ts'
import type { BundleVault } from './bundleVault.ts'
import { findLatestSealed } from './findLatestSealed.ts'
import type { IntentTerms } from './intentTerms.ts'
import { openStoredBundle } from './openStoredBundle.ts'
import type { Metadata } from './storeMetadata.ts'

/**
 * An intent's metadata and viewers: those that came inside its bundle, else those stored beside it;
 * null when there are none.
 *
 * @throws BundleError `BUNDLE_UNREADABLE`; EnclaveError
 */
export async function findMetadata(
  vault: Pick<BundleVault, 'db' | 'enclave'>,
  terms: IntentTerms,
): Promise<Metadata | null> {
  const latest = await findLatestSealed(vault.db, terms)
  const inside = latest && (await openStoredBundle(vault, terms, { sealed: latest }))
  if (inside?.metadata || inside?.viewers) return metadataOf(inside)
  const { rows } = await sql<{ sealed: Uint8Array }>`select sealed from app.appended_blob
    where source_chain_id = ${terms.sourceChainId}::bigint
      and intent_id = ${String(terms.intentId)}::numeric and purpose = 'metadata'`.execute(vault.db)
  if (!rows[0]) return null
  return metadataOf(await openStoredBundle(vault, terms, { sealed: bytesToHex(rows[0].sealed) }))
}

function metadataOf({ metadata = {}, viewers = [] }: BlobContents): Metadata {
  return { metadata, viewers }
}
