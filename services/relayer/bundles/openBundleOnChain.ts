import type { BundleState } from '../../../core/bundle/decide/bundleDecisionState.ts'
import type { ReadBlob } from '../../../core/bundle/effectiveBundle.ts'
import { blobBindingsOf, type IntentTerms } from '../terms/intentTerms.ts'
import type { BlobOnChain } from '../terms/loadBlobsOnChain.ts'
import type { BundleContext } from './recipientBundleStore.ts'

const NOWHERE = '0x0000000000000000000000000000000000000000'

/**
 * Opens an intent's bundle on chain, for answers to callers. The enclave decides from proofs what it signs.
 *
 * @param recipientClass as fixed by the anchor; null before it
 * @throws EnclaveError
 */
export async function openBundleOnChain(
  { enclave, bridgeOn, modeOn }: Pick<BundleContext, 'enclave' | 'bridgeOn' | 'modeOn'>,
  terms: IntentTerms,
  blobsOnChain: readonly BlobOnChain[],
  recipientClass: number | null,
): Promise<Pick<BundleState, 'intent' | 'blobs'>> {
  const expected = blobBindingsOf(terms)
  const blobs: ReadBlob[] = []
  for (const { kind, blob } of blobsOnChain) {
    const opened = blob === '0x' ? null : await enclave.openBlob({ blob, expected })
    const { keyId, contents } = opened?.ok ? opened : { keyId: null, contents: null }
    blobs.push({ kind, keyId, contents })
  }
  const { user: sender, destChainId, ...rest } = terms
  const destinationBridge = bridgeOn(destChainId) ?? NOWHERE
  const mode = modeOn(terms.sourceChainId)
  const intent = { ...rest, sender, destinationBridge, recipientClass: recipientClass ?? 0, mode }
  return { intent, blobs }
}
