import type { BlobPlaintext } from '../recoveryBlob/plaintextFormat.ts'
import type { BundleState } from './decide/bundleDecisionState.ts'
import { findEffectiveBundle, findNumber, isSameNaming } from './findEffectiveBundle.ts'

/** The bundle that the chain holds. */
export type BundleOnChain = {
  /** With metadata that was appended later. */
  contents: BlobPlaintext
  /** Its number; -1 if the sender didn't name it. */
  number: number
}

/** The bundle that the chain's blobs name, with its metadata. */
export function findBundleOnChain({
  intent,
  blobs,
}: Pick<BundleState, 'intent' | 'blobs'>): BundleOnChain | null {
  const { bundle } = findEffectiveBundle(intent, blobs)
  if (bundle === null) return null
  const { contents } = bundle
  const more = blobs.find(
    (one) => one.contents?.metadata !== undefined && isSameNaming(one.contents, contents),
  )
  const latest = contents.metadata === undefined ? (more?.contents ?? contents) : contents
  return { contents: latest, number: findNumber(bundle) }
}
