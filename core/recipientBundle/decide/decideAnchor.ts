import type { Hex } from '../../../src/event/bridgeEvent.ts'
import { BLOB_KIND } from '../../../src/event/foldBlobsHash.ts'
import { toRecipientClass } from '../../recoveryBlob/blobSize.ts'
import type { BlobPlaintext, RegisteredRecipient } from '../../recoveryBlob/plaintextFormat.ts'
import { type Refusal, refuse } from '../bundleRefusal.ts'
import { chooseFeeTier } from '../chooseFeeTier.ts'
import { findBundleProblem } from '../findBundleProblem.ts'
import {
  type BundleIntent,
  findEffectiveBundle,
  findNumber,
  isOfIntent,
  isSameNaming,
  isSignedBySender,
  type ReadBlob,
} from '../findEffectiveBundle.ts'
import { findRegisteredRecipients, type Tickets } from '../findRegisteredRecipients.ts'
import { isSamePayment } from '../isSameBundle.ts'
import { type BundleState, findUnsignedAnchorTime } from './bundleDecisionState.ts'

/** A request to sign the anchor of an intent without one. */
export type AnchorCommand = {
  type: 'anchor'
  /** A bundle that isn't on chain. */
  proposal: BlobPlaintext | null
  tickets: Tickets
  /** Id of the key that seals what isn't on chain. */
  currentKeyId: Hex
  /** Whether the enclave has a key. */
  hasKey: (keyId: Hex) => boolean
  /** Time of the block at which the state was read, unix seconds. */
  now: number
}

/** What an enclave signs. */
export type AnchorDecision = {
  ok: true
  feeBps: number
  recipientClass: number
  keyId: Hex
  /** Content of the anchor's blob; null for an empty blob, when the creation's says everything. */
  contents: BlobPlaintext | null
  registered: readonly RegisteredRecipient[]
}

type Chosen = { contents: BlobPlaintext; keyId: Hex; isOnChain: boolean }

/**
 * Decides an intent's anchor: the recipients that count, on chain or proposed, and which of them are registered, which
 * determines fee tier and class for good.
 */
export function decideAnchor(command: AnchorCommand, state: BundleState): AnchorDecision | Refusal {
  const { intent, blobs } = state
  const { proposal, tickets, hasKey } = command
  if (blobs.some((blob) => isUnreadableCall(blob, hasKey))) return refuse('KEY_MISSING')
  const chosen = chooseContents(command, state)
  if ('ok' in chosen) return chosen
  const { contents, keyId, isOnChain } = chosen
  const { recipients } = contents
  const registered = findRegisteredRecipients(contents, tickets)
  const extras = findExtras(intent, proposal, contents)
  const { intentId } = intent
  const isEmpty = isOnChain && registered.length === 0 && extras === null
  const canBeEmpty = blobs.some((one) => one.kind === BLOB_KIND.creation && one.keyId === keyId)
  const carried = { ...contents, ...extras, intentId, registered }
  const decision: AnchorDecision = {
    ok: true,
    feeBps: chooseFeeTier(contents, registered, tickets),
    recipientClass: toRecipientClass(recipients.length),
    keyId,
    contents: isEmpty && canBeEmpty ? null : carried,
    registered,
  }
  // If the sender put recipients on chain under another key, no unsigned ones count.
  return isEffective(state, decision, contents) ? decision : refuse('SIGNATURE_REQUIRED')
}

/**
 * Whether the sender named recipients by its own call under a key that this enclave lacks, such as another root's: the
 * anchor would drop them for good in favour of earlier ones.
 */
function isUnreadableCall({ kind, keyId }: ReadBlob, hasKey: AnchorCommand['hasKey']): boolean {
  return kind === BLOB_KIND.sender && keyId !== null && !hasKey(keyId)
}

function chooseContents(
  { proposal, currentKeyId, now }: AnchorCommand,
  state: BundleState,
): Chosen | Refusal {
  const { intent, blobs } = state
  const { bundle } = findEffectiveBundle(intent, blobs)
  const onChain = bundle && { ...bundle, isOnChain: true }
  if (proposal === null) return onChain ?? refuse('RECIPIENTS_UNKNOWN')
  const isSigned = isSignedBySender(intent, proposal)
  if (onChain !== null && !(isSigned && proposal.n > findNumber(bundle))) return onChain
  const problem = findBundleProblem(proposal, intent)
  if (problem !== null) return refuse('RECIPIENTS_INVALID', problem)
  if (!isOfIntent(intent, proposal)) return refuse('RECIPIENTS_UNKNOWN')
  const chosen = { contents: proposal, keyId: currentKeyId, isOnChain: false }
  if (isSigned) return chosen
  if (proposal.signature !== undefined) return refuse('SIGNATURE_INVALID')
  if (intent.mode === 'strict') return refuse('SIGNATURE_REQUIRED')
  return now < findUnsignedAnchorTime(state) ? refuse('TOO_EARLY') : chosen
}

/** What a proposal adds to recipients that are on chain already. */
export function findExtras(
  intent: BundleIntent,
  proposal: BlobPlaintext | null,
  counting: BlobPlaintext,
): Pick<BlobPlaintext, 'metadata' | 'viewers'> | null {
  if (proposal === null || !isAbout(intent, proposal, counting)) return null
  const { metadata, viewers } = proposal
  if (metadata === undefined && viewers === undefined) return null
  return { metadata, viewers }
}

/**
 * Whether a proposal names the recipients that count: with their salt, or signed by the sender. Anyone can seal a proposal
 * and, by a row in the database, have it decided: without the salt, no decision may show that a guess is right.
 */
export function isAbout(
  intent: BundleIntent,
  proposal: BlobPlaintext,
  counting: BlobPlaintext,
): boolean {
  if (isSameNaming(proposal, counting)) return true
  return isSamePayment(proposal, counting) && isSignedBySender(intent, proposal)
}

/** Every enclave must be able to read what this one signs from the chain later. */
function isEffective(
  { intent, blobs }: BundleState,
  { contents, keyId, recipientClass }: AnchorDecision,
  chosen: BlobPlaintext,
): boolean {
  const anchor = { kind: BLOB_KIND.anchor, keyId: contents && keyId, contents }
  const { bundle } = findEffectiveBundle({ ...intent, recipientClass }, [...blobs, anchor])
  return (
    bundle !== null &&
    isSamePayment(bundle.contents, chosen) &&
    (bundle.registered?.length ?? 0) === (contents?.registered.length ?? 0)
  )
}
