import type { Hex } from '../../src/event/bridgeEvent.ts'
import { FEE_BPS } from '../../src/money/bps.ts'
import type { BlobPlaintext, RegisteredRecipient } from '../blob/plaintext.ts'
import { type Refusal, refuse } from './bundleRefusal.ts'
import { extrasOf, isSamePayment } from './decideAnchor.ts'
import {
  type BundleIntent,
  type EffectiveBundle,
  effectiveBundle,
  isOfIntent,
  isSignedBySender,
  type ReadBlob,
} from './effectiveBundle.ts'
import { paymentProblem } from './recipientRules.ts'
import { registeredAmong, type Tickets, tierOf } from './registration.ts'

/** What an appended blob is decided from. */
export type AppendCase = {
  /** Anchored. */
  intent: BundleIntent
  /** As anchored. */
  feeBps: number
  blobs: readonly ReadBlob[]
  /** Without it: registered wallets for recipients that the sender named by its own call. */
  proposal: BlobPlaintext | null
  tickets: Tickets
  /**
   * Whether the auction is over: recipients are firm, and a blob that names some would only be an event.
   */
  isOver: boolean
}

/** What an enclave signs for. */
export type AppendDecision = {
  ok: true
  /** The intent's: what is sealed to another doesn't count. */
  keyId: Hex
  contents: BlobPlaintext
  registered: readonly RegisteredRecipient[]
}

/**
 * What is put on chain after the anchor: other recipients by the sender's signature; which of those
 * that it named itself are registered; or metadata and viewers for what counts already.
 */
export function decideAppend(given: AppendCase): AppendDecision | Refusal {
  const { intent, blobs, proposal } = given
  const { keyId, bundle } = effectiveBundle(intent, blobs)
  if (keyId === null) return refuse('RECIPIENTS_UNKNOWN')
  const decision = isReplacing(proposal, bundle)
    ? replace(given, keyId, proposal, bundle)
    : complete(given, bundle)
  const isLate = given.isOver && decision.ok && decision.contents.recipients.length > 0
  return isLate ? refuse('WRONG_PHASE', 'firm') : decision
}

function isReplacing(
  proposal: BlobPlaintext | null,
  bundle: EffectiveBundle | null,
): proposal is BlobPlaintext {
  return proposal !== null && !(bundle && isSamePayment(proposal, bundle.contents))
}

function replace(
  given: AppendCase,
  keyId: Hex,
  proposal: BlobPlaintext,
  bundle: EffectiveBundle | null,
): AppendDecision | Refusal {
  const { intent, tickets } = given
  const problem = paymentProblem(proposal, intent)
  if (problem !== null) return refuse('RECIPIENTS_INVALID', problem)
  if (!isOfIntent(intent, proposal)) return refuse('RECIPIENTS_UNKNOWN')
  if (proposal.signature === undefined) return refuse('SIGNATURE_REQUIRED')
  if (!isSignedBySender(intent, proposal)) return refuse('SIGNATURE_INVALID')
  if (proposal.n <= highestOf(bundle)) return refuse('N_TOO_LOW')
  if (proposal.recipients.length > intent.recipientClass) return refuse('CLASS_EXCEEDED')
  const registered = registeredAmong(proposal, tickets)
  if (isAboveTier(given, proposal, registered)) return refuse('FEE_TIER_FIXED')
  const { intentId } = intent
  return { ok: true, keyId, contents: { ...proposal, intentId, registered }, registered }
}

/** What counts stays, and something is said about it that no enclave has signed for yet. */
function complete(given: AppendCase, bundle: EffectiveBundle | null): AppendDecision | Refusal {
  if (bundle === null) return refuse('RECIPIENTS_UNKNOWN')
  const { intent, proposal, tickets } = given
  const { contents, keyId } = bundle
  const extras = extrasOf(proposal, contents)
  const registered = bundle.registered === null ? registeredAmong(contents, tickets) : []
  if (registered.length === 0 && extras === null) return refuse('NOTHING_TO_APPEND')
  if (isAboveTier(given, contents, registered)) return refuse('FEE_TIER_FIXED')
  const { metadata: _, viewers: __, ...named } = contents
  const { intentId } = intent
  const said = registered.length > 0 ? named : { ...named, recipients: [], amounts: [] }
  return { ok: true, keyId, contents: { ...said, ...extras, intentId, registered }, registered }
}

function highestOf(bundle: EffectiveBundle | null): number {
  if (bundle === null || bundle.word === 'nobody') return -1
  return bundle.word === 'creation' ? 0 : bundle.contents.n
}

function isAboveTier(
  { feeBps, tickets }: AppendCase,
  contents: BlobPlaintext,
  registered: readonly RegisteredRecipient[],
): boolean {
  return feeBps !== FEE_BPS.shielded && tierOf(contents, registered, tickets) === FEE_BPS.shielded
}
