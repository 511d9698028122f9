import { zeroHash } from 'viem'
import type { BlobPlaintext } from '../recoveryBlob/plaintextFormat.ts'
import type { BundleState } from './decide/bundleDecisionState.ts'
import { findEffectiveBundle, findNumber, isSameNaming } from './findEffectiveBundle.ts'

/** The bundle that the chain holds. */
export type BundleOnChain = {
  /** With metadata and viewers that were appended later. */
  contents: BlobPlaintext
  /** Its number; -1 if the sender didn't name it. */
  number: number
}

/** The bundle that the chain's blobs name, with its metadata and viewers. */
export function findBundleOnChain({
  intent,
  blobs,
}: Pick<BundleState, 'intent' | 'blobs'>): BundleOnChain | null {
  const { bundle } = findEffectiveBundle(intent, blobs)
  if (bundle === null) return null
  const { contents } = bundle
  const others = blobs.flatMap((one) => (one.contents === null ? [] : [one.contents]))
  const about = others.filter((one) => isAbout(one, contents))
  const { metadata, viewers } = [contents, ...about].find(isDescribed) ?? contents
  return { contents: { ...contents, metadata, viewers }, number: findNumber(bundle) }
}

function isDescribed({ metadata, viewers }: BlobPlaintext): boolean {
  return metadata !== undefined || viewers !== undefined
}

/**
 * Whether a blob repeats a bundle, or adds to it: an append of metadata alone has its number and salt, and no
 * recipients. Only whoever knows the bundle knows a random salt, so that rows can't add viewers.
 */
function isAbout(one: BlobPlaintext, bundle: BlobPlaintext): boolean {
  if (isSameNaming(one, bundle)) return true
  const isSameBundle = one.n === bundle.n && one.salt === bundle.salt
  return isSameBundle && one.recipients.length === 0 && one.salt !== zeroHash
}
