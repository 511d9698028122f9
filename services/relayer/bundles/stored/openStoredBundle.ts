import type { BlobContents } from '../../../enclave/enclaveInterface.ts'
import { blobBindingsOf } from '../../terms/blobBindingsOf.ts'
import { BundleError } from '../../terms/bundleError.ts'
import type { IntentTerms } from '../../terms/intentTerms.ts'
import type { BundleContext } from './bundleContext.ts'
import type { StoredBundle } from './storedBundle.ts'

/**
 * What a stored bundle says: recipients as the sender named them.
 *
 * @throws BundleError `BUNDLE_UNREADABLE` when the enclave doesn't have its key; EnclaveError
 */
export async function openStoredBundle(
  { enclave }: Pick<BundleContext, 'enclave'>,
  terms: IntentTerms,
  { sealed }: Pick<StoredBundle, 'sealed'>,
): Promise<BlobContents> {
  const opened = await enclave.openBlob({ blob: sealed, expected: blobBindingsOf(terms) })
  if (opened.ok) return opened.contents
  throw new BundleError('BUNDLE_UNREADABLE', `the stored bundle can’t be opened: ${opened.reason}`)
}
