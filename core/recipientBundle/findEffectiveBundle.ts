import { hashMessage } from 'viem'
import type { Hex } from '../../src/event/bridgeEvent.ts'
import { BLOB_KIND } from '../../src/event/foldBlobsHash.ts'
import type { BlobPlaintext, RegisteredRecipient } from '../recoveryBlob/plaintextFormat.ts'
import { findBundleProblem, type PaymentTerms } from './findBundleProblem.ts'
import { recoverSigner } from './recoverSigner.ts'
import { hashNaming, storeRecipientsMessage } from './storeRecipientsMessage.ts'

/** The facts of an intent that decide which of its blobs counts. Hex in lower case. */
export type BundleIntent = PaymentTerms & {
  sourceChainId: number
  bridge: Hex
  sender: Hex
  intentId: bigint
  paramsHash: Hex
  /** Maximum number of recipients in a bundle after the anchor; 0 until anchored. */
  recipientClass: number
  /** Whether unsigned recipients count: never in `strict`. */
  mode: 'strict' | 'compat'
}

/** A blob from before `firmAt`, its position among the others, and its content. */
export type ReadBlob = {
  /** 1 creation, 2 anchor, 3 append, 4 the sender's own call. */
  kind: number
  /** Id of the key that it is sealed to; null if it has another layout or is empty. */
  keyId: Hex | null
  /** Null if it can't be decrypted. */
  contents: BlobPlaintext | null
}

/** Who named the recipients. */
type Authority = 'creation' | 'call' | 'signature' | 'none'

/** The bundle on chain whose recipients count. */
export type EffectiveBundle = {
  contents: BlobPlaintext
  authority: Authority
  /** Position of its blob among the intent's. */
  position: number
  keyId: Hex
  /** Which recipients are paid at Safes; null while no enclave has signed for a blob that says so. */
  registered: readonly RegisteredRecipient[] | null
}

/** The result of an intent's blobs. */
type FromBlobs = {
  /** Id of the intent's key; null until it is anchored, and when its anchor names none. */
  keyId: Hex | null
  bundle: EffectiveBundle | null
}

/**
 * Decides which bundle an intent's blobs name: the sender's with the highest `n`, the first of equal ones; in compat,
 * if the sender named nobody, the first that anyone sent. A pure function of the blobs, so that every enclave decides
 * the same, now and later.
 *
 * @param blobs the blobs of the intent's `blobsHash`, in the chain's order: from `firmAt` on, none are added
 */
export function findEffectiveBundle(intent: BundleIntent, blobs: readonly ReadBlob[]): FromBlobs {
  const keyId = findKeyId(blobs)
  const anchor = blobs.findIndex(({ kind }) => kind === BLOB_KIND.anchor)
  const candidates = blobs.flatMap((blob, position) => {
    const isUnderKey = anchor < 0 || blob.keyId === keyId
    const candidate = isUnderKey ? toCandidate(intent, blob, position) : null
    return candidate !== null && isWithinClass(intent, candidate, anchor) ? [candidate] : []
  })
  const chosen = chooseCandidate(intent, candidates, hasSenderBlobUnderOtherKey(blobs, keyId))
  if (chosen === null) return { keyId, bundle: null }
  return { keyId, bundle: { ...chosen, registered: findRegistered(blobs, chosen) } }
}

/** The key under which an anchored intent's blobs count: the anchor's, or the creation's if that is empty. */
function findKeyId(blobs: readonly ReadBlob[]): Hex | null {
  const anchor = blobs.find(({ kind }) => kind === BLOB_KIND.anchor)
  if (anchor === undefined) return null
  return anchor.keyId ?? blobs.find(({ kind }) => kind === BLOB_KIND.creation)?.keyId ?? null
}

/** Whether two bundles are equal: recipients, amounts, number and salt. */
export function isSameNaming(one: BlobPlaintext, other: BlobPlaintext): boolean {
  return one.n === other.n && hashNaming(one) === hashNaming(other)
}

/** Whether a decrypted blob belongs to this intent. */
export function isOfIntent(intent: BundleIntent, contents: BlobPlaintext): boolean {
  return (
    contents.sourceChainId === intent.sourceChainId &&
    contents.bridge === intent.bridge &&
    contents.user === intent.sender &&
    contents.paramsHash === intent.paramsHash &&
    (contents.intentId === undefined || contents.intentId === intent.intentId)
  )
}

/** Whether the sender signed these recipients. */
export function isSignedBySender(intent: BundleIntent, contents: BlobPlaintext): boolean {
  const { signature, n, recipients, amounts, salt } = contents
  if (signature === undefined) return false
  const { intentId, sourceChainId, paramsHash, sender } = intent
  const about = { intentId, sourceChainId, paramsHash, n }
  const hash = hashMessage(storeRecipientsMessage({ ...about, recipients, amounts, salt }))
  const known = signers.get(contents)
  const signer = known?.hash === hash ? known.signer : recoverSigner(hash, signature)
  signers.set(contents, { hash, signer })
  return signer === sender
}

/** Cached: a decision uses the same contents several times, and most of its time would go into recovering signers. */
const signers = new WeakMap<BlobPlaintext, { hash: Hex; signer: Hex | null }>()

type Candidate = Omit<EffectiveBundle, 'registered'>

function toCandidate(intent: BundleIntent, blob: ReadBlob, position: number): Candidate | null {
  const { contents, keyId } = blob
  if (contents === null || keyId === null || !isOfIntent(intent, contents)) return null
  if (findBundleProblem(contents, intent) !== null) return null
  return { contents, keyId, position, authority: findAuthority(intent, blob, contents) }
}

function findAuthority(
  intent: BundleIntent,
  { kind }: ReadBlob,
  contents: BlobPlaintext,
): Authority {
  if (kind === BLOB_KIND.creation) return 'creation'
  if (kind === BLOB_KIND.sender) return 'call'
  return isSignedBySender(intent, contents) ? 'signature' : 'none'
}

/** Blobs before the anchor were there when its class was decided. */
function isWithinClass(
  { recipientClass }: BundleIntent,
  { contents, position }: Candidate,
  anchor: number,
): boolean {
  return anchor < 0 || position < anchor || contents.recipients.length <= recipientClass
}

/**
 * Whether the sender put recipients on chain under a key other than the intent's. The enclave that seals the anchor
 * chooses its key, which must not let unsigned recipients override the sender's.
 */
function hasSenderBlobUnderOtherKey(blobs: readonly ReadBlob[], keyId: Hex | null): boolean {
  return blobs.some(
    (blob) =>
      (blob.kind === BLOB_KIND.creation || blob.kind === BLOB_KIND.sender) &&
      blob.keyId !== null &&
      blob.keyId !== keyId,
  )
}

function chooseCandidate(
  { mode }: BundleIntent,
  candidates: readonly Candidate[],
  isSenderElsewhere: boolean,
): Candidate | null {
  const byWord = candidates.filter(({ authority }) => authority !== 'none')
  const [first, ...others] = byWord
  if (first !== undefined) {
    return others.reduce((best, one) => (findNumber(one) > findNumber(best) ? one : best), first)
  }
  return mode === 'compat' && !isSenderElsewhere ? (candidates[0] ?? null) : null
}

/** The number that the sender's next bundle must exceed: a creation's is 0; -1 if the sender named nobody. */
export function findNumber(bundle: Candidate | null): number {
  if (bundle === null || bundle.authority === 'none') return -1
  return bundle.authority === 'creation' ? 0 : bundle.contents.n
}

/** By the first signed blob with the same content as the effective blob. */
function findRegistered(
  blobs: readonly ReadBlob[],
  { contents, keyId }: Candidate,
): readonly RegisteredRecipient[] | null {
  for (const blob of blobs) {
    const isSigned = blob.kind === BLOB_KIND.anchor || blob.kind === BLOB_KIND.append
    if (!isSigned || blob.contents === null || blob.keyId !== keyId) continue
    if (isSameNaming(blob.contents, contents)) return blob.contents.registered
  }
  return null
}
