import {
  type EffectiveBundle,
  effectiveBundle,
  isSameNaming,
  type ReadBlob,
} from '../../../../core/bundle/effectiveBundle.ts'
import type { BlobContents } from '../../../enclave/port.ts'
import { bindingsOf } from '../../terms/bindingsOf.ts'
import type { IntentTerms } from '../../terms/intentTerms.ts'
import type { BlobOnChain } from '../../terms/loadBlobsOnChain.ts'
import type { BundleContext } from '../stored/bundleContext.ts'

/** A bundle that the chain holds. */
export type NamedOnChain = {
  /** With whatever metadata came later. */
  contents: BlobContents
  /** Whether the sender named it: by its own call, or by its signature. */
  isSenders: boolean
}

const NOWHERE = '0x0000000000000000000000000000000000000000'

/**
 * Whom the chain's blobs name, by the enclave's rule, for answers to callers. The enclave itself decides
 * from proofs what it signs.
 *
 * @param recipientClass that the anchor has fixed; null before it
 * @throws EnclaveError
 */
export async function namedOnChain(
  { enclave, bridgeOn, modeOn }: Pick<BundleContext, 'enclave' | 'bridgeOn' | 'modeOn'>,
  terms: IntentTerms,
  blobs: readonly BlobOnChain[],
  recipientClass: number | null,
): Promise<NamedOnChain | null> {
  if (blobs.length === 0) return null
  const expected = bindingsOf(terms)
  const read: ReadBlob[] = []
  for (const { kind, blob } of blobs) {
    const opened = blob === '0x' ? null : await enclave.openBlob({ blob, expected })
    const { keyId, contents } = opened?.ok ? opened : { keyId: null, contents: null }
    read.push({ kind, keyId, contents })
  }
  const { user: sender, destChainId, ...rest } = terms
  const destinationBridge = bridgeOn(destChainId) ?? NOWHERE
  const mode = modeOn(terms.sourceChainId)
  const intent = { ...rest, sender, destinationBridge, recipientClass: recipientClass ?? 0, mode }
  const { bundle } = effectiveBundle(intent, read)
  return bundle && { contents: latestOf(bundle, read), isSenders: bundle.word !== 'nobody' }
}

/** The same bundle once more, if that brings metadata. */
function latestOf({ contents }: EffectiveBundle, read: readonly ReadBlob[]): BlobContents {
  const more = read.find(
    (one) => one.contents?.metadata !== undefined && isSameNaming(one.contents, contents),
  )
  return contents.metadata === undefined ? (more?.contents ?? contents) : contents
}
