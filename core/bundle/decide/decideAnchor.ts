import type { Hex } from '../../../src/event/bridgeEvent.ts'
import { BLOB_KIND } from '../../../src/event/hashBlobs.ts'
import { toRecipientClass } from '../../blob/blobSize.ts'
import type { BlobPlaintext, RegisteredRecipient } from '../../blob/plaintext.ts'
import { type Refusal, refuse } from '../bundleRefusal.ts'
import { findEffectiveBundle, isOfIntent, isSignedBySender } from '../effectiveBundle.ts'
import { isSamePayment } from '../isSameBundle.ts'
import { findPaymentProblem } from '../recipientRules.ts'
import { chooseFeeTier, findRegistered, type Tickets } from '../registration.ts'
import { type BundleState, findUnsignedAnchorTime } from './bundleState.ts'

/** A request to sign the anchor of an intent that has none yet. */
export type AnchorCommand = {
  type: 'anchor'
  /** A bundle that isn't on chain. */
  proposal: BlobPlaintext | null
  tickets: Tickets
  /** Of the key that seals what isn't on chain. */
  currentKeyId: Hex
  /** Unix seconds of the block that the state was read at. */
  now: number
}

/** What an enclave signs for. */
export type AnchorDecision = {
  ok: true
  feeBps: number
  recipientClass: number
  keyId: Hex
  /** What the anchor's blob says; null: the blob is empty, since the creation's says it all. */
  contents: BlobPlaintext | null
  registered: readonly RegisteredRecipient[]
}

type Chosen = { contents: BlobPlaintext; keyId: Hex; isOnChain: boolean; isBySender: boolean }

/**
 * What an intent is anchored with: the recipients that count, on chain or proposed, and which of them are
 * registered, which decides fee tier and class once and for all.
 */
export function decideAnchor(command: AnchorCommand, state: BundleState): AnchorDecision | Refusal {
  const { intent, blobs } = state
  const { proposal, tickets } = command
  const chosen = chooseContents(command, state)
  if ('ok' in chosen) return chosen
  const { contents, keyId, isOnChain } = chosen
  const { recipients } = contents
  const registered = findRegistered(contents, tickets)
  const extras = findExtras(proposal, contents)
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
  if (isEffective(state, decision, contents)) return decision
  // The sender put something on chain under another key; only an enclave with that key may say what
  // counts.
  return refuse(chosen.isBySender ? 'RECIPIENTS_UNKNOWN' : 'SIGNATURE_REQUIRED')
}

function chooseContents(
  { proposal, currentKeyId, now }: AnchorCommand,
  state: BundleState,
): Chosen | Refusal {
  const { intent, blobs } = state
  const { bundle } = findEffectiveBundle(intent, blobs)
  const onChain = bundle && { ...bundle, isOnChain: true, isBySender: bundle.authority !== 'none' }
  if (proposal === null) return onChain ?? refuse('RECIPIENTS_UNKNOWN')
  const isSigned = isSignedBySender(intent, proposal)
  const least = onChain?.isBySender
    ? bundle?.authority === 'creation'
      ? 0
      : onChain.contents.n
    : -1
  if (onChain !== null && !(isSigned && proposal.n > least)) return onChain
  const problem = findPaymentProblem(proposal, intent)
  if (problem !== null) return refuse('RECIPIENTS_INVALID', problem)
  if (!isOfIntent(intent, proposal)) return refuse('RECIPIENTS_UNKNOWN')
  const chosen = { contents: proposal, keyId: currentKeyId, isOnChain: false, isBySender: isSigned }
  if (isSigned) return chosen
  if (proposal.signature !== undefined) return refuse('SIGNATURE_INVALID')
  if (intent.mode === 'strict') return refuse('SIGNATURE_REQUIRED')
  return now < findUnsignedAnchorTime(state) ? refuse('TOO_EARLY') : chosen
}

/** What a proposal adds to recipients that are on chain already. */
export function findExtras(
  proposal: BlobPlaintext | null,
  counting: BlobPlaintext,
): Pick<BlobPlaintext, 'metadata' | 'viewers'> | null {
  if (proposal === null || !isSamePayment(proposal, counting)) return null
  const { metadata, viewers } = proposal
  if (metadata === undefined && viewers === undefined) return null
  return { metadata, viewers }
}

/** Every enclave must later read from the chain what this one signs for. */
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
