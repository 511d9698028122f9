import type { BundleState } from '../../../core/recipientBundle/decide/bundleDecisionState.ts'
import type { BundleIntent, ReadBlob } from '../../../core/recipientBundle/findEffectiveBundle.ts'
import type { OpenedBlob } from '../../enclave/enclaveInterface.ts'
import { blobBindingsOf, type IntentTerms } from '../terms/intentTerms.ts'
import type { BlobOnChain } from '../terms/loadIndexedBlobs.ts'
import type { BundleContext } from './recipientBundleStore.ts'

const NOWHERE = '0x0000000000000000000000000000000000000000'

/**
 * Opens an intent's bundle on chain, for answers to callers. The enclave decides from proofs what it signs.
 *
 * @param recipientClass as fixed by the anchor; null before it
 * @throws EnclaveError
 */
export async function decryptBundleFromChain(
  context: Pick<BundleContext, 'enclave' | 'bridgeOn' | 'modeOn'>,
  terms: IntentTerms,
  blobsOnChain: readonly BlobOnChain[],
  recipientClass: number | null,
): Promise<Pick<BundleState, 'intent' | 'blobs'>> {
  const expected = blobBindingsOf(terms)
  const blobs: ReadBlob[] = []
  for (const { kind, blob } of blobsOnChain) {
    const opened = blob === '0x' ? null : await context.enclave.openBlob({ blob, expected })
    blobs.push(toReadBlob(kind, opened))
  }
  return { intent: toBundleIntent(context, terms, recipientClass), blobs }
}

/** A blob as bundle decisions read it. */
export function toReadBlob(kind: number, opened: OpenedBlob | null): ReadBlob {
  const { keyId, contents } = opened?.ok ? opened : { keyId: null, contents: null }
  return { kind, keyId, contents }
}

/**
 * An intent as bundle decisions read it.
 *
 * @param recipientClass as fixed by the anchor; null before it
 */
export function toBundleIntent(
  { bridgeOn, modeOn }: Pick<BundleContext, 'bridgeOn' | 'modeOn'>,
  terms: IntentTerms,
  recipientClass: number | null,
): BundleIntent {
  const { user: sender, destChainId, ...rest } = terms
  const destinationBridge = bridgeOn(destChainId) ?? NOWHERE
  const mode = modeOn(terms.sourceChainId)
  return { ...rest, sender, destinationBridge, recipientClass: recipientClass ?? 0, mode }
}
