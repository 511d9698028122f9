import type { BlobContents } from '../enclave/port.ts'
import { recipientsNamed } from '../enclave/settlement/recipientsNamed.ts'
import { bindingsOf } from './bindingsOf.ts'
import { BundleError } from './bundleError.ts'
import type { BundleVault } from './bundleVault.ts'
import type { IntentTerms } from './intentTerms.ts'
import type { BlobsOnChain } from './loadBlobsOnChain.ts'

/**
 * Whom the chain's blobs name, by the enclave's own rule: what a winner is told is what its delivery is
 * attested by, whatever our own rows say. Null when they name nobody.
 *
 * @throws BundleError `BUNDLE_UNREADABLE` when a blob's key is not in the enclave; EnclaveError
 */
export async function openBlobsOnChain(
  { enclave }: Pick<BundleVault, 'enclave'>,
  terms: IntentTerms,
  { inTime }: BlobsOnChain,
): Promise<BlobContents | null> {
  const expected = bindingsOf(terms)
  const named = await recipientsNamed(inTime, (blob) => enclave.openBlob({ blob, expected }))
  if (named !== 'KEY_MISSING') return named
  throw new BundleError('BUNDLE_UNREADABLE', 'a blob on chain can’t be opened: UNKNOWN_KEY')
}
