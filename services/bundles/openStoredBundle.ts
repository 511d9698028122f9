import type { BlobContents } from '../enclave/port.ts'
import { bindingsOf } from './bindingsOf.ts'
import { BundleError } from './bundleError.ts'
import type { BundleVault } from './bundleVault.ts'
import type { IntentTerms } from './intentTerms.ts'
import type { StoredBundle } from './storedBundle.ts'

/**
 * What a stored bundle says: recipients as the winner has to pay them (a shielded one is its Safe).
 *
 * @throws BundleError `BUNDLE_UNREADABLE` when the enclave doesn't have its key,
 *   `BUNDLE_OF_ANOTHER_CREATION` when a reorg gave the intent's id away; EnclaveError
 */
export async function openStoredBundle(
  { enclave }: Pick<BundleVault, 'enclave'>,
  terms: IntentTerms,
  { sealed }: Pick<StoredBundle, 'sealed'>,
): Promise<BlobContents> {
  const opened = await enclave.openBlob({ blob: sealed, expected: bindingsOf(terms) })
  if (opened.ok) return opened.contents
  const isOthers = opened.reason.startsWith('OTHER_')
  const code = isOthers ? 'BUNDLE_OF_ANOTHER_CREATION' : 'BUNDLE_UNREADABLE'
  throw new BundleError(code, `the stored bundle can’t be opened: ${opened.reason}`)
}
