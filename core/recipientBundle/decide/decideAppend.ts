import type { Hex } from '../../../src/event/bridgeEvent.ts'
import { FEE_BPS } from '../../../src/money/bps.ts'
import type { BlobPlaintext, RegisteredRecipient } from '../../recoveryBlob/plaintextFormat.ts'
import { type Refusal, refuse } from '../bundleRefusal.ts'
import { chooseFeeTier } from '../chooseFeeTier.ts'
import { findBundleProblem } from '../findBundleProblem.ts'
import {
  type BundleIntent,
  type EffectiveBundle,
  findEffectiveBundle,
  findNumber,
  isOfIntent,
  isSignedBySender,
} from '../findEffectiveBundle.ts'
import { findRegisteredRecipients, type Tickets } from '../findRegisteredRecipients.ts'
import { type BundleState, MAX_BLOBS } from './bundleDecisionState.ts'
import { findExtras, isAbout } from './decideAnchor.ts'

/** A request to sign a further blob of an anchored intent. */
export type AppendCommand = {
  type: 'append'
  /** Absent: only mark registered wallets among recipients that the sender named by its own call. */
  proposal: BlobPlaintext | null
  tickets: Tickets
}

/** What an enclave signs. */
export type AppendDecision = {
  ok: true
  /** The intent's key: blobs sealed to another don't count. */
  keyId: Hex
  contents: BlobPlaintext
  registered: readonly RegisteredRecipient[]
}

/**
 * Decides what goes on chain after the anchor: other recipients that the sender signed; which of the recipients that it
 * named by its own call are registered; or metadata and viewers for the bundle that already counts.
 */
export function decideAppend(command: AppendCommand, state: BundleState): AppendDecision | Refusal {
  const { intent, blobs, isFirm } = state
  const { proposal } = command
  const { keyId, bundle } = findEffectiveBundle(intent, blobs)
  if (keyId === null) return refuse('RECIPIENTS_UNKNOWN')
  // Registered wallets that the sender named by its call, which it can do once, are marked in any case.
  if (proposal !== null && blobs.length >= MAX_BLOBS) return refuse('TOO_MANY_BLOBS')
  const decision = isReplacing(state.intent, proposal, bundle)
    ? replace({ ...command, proposal }, state, keyId, bundle)
    : complete(command, state, bundle)
  // From here on, a blob that names recipients would no longer count.
  const isLate = isFirm && decision.ok && decision.contents.recipients.length > 0
  return isLate ? refuse('WRONG_PHASE', 'firm') : decision
}

function isReplacing(
  intent: BundleIntent,
  proposal: BlobPlaintext | null,
  bundle: EffectiveBundle | null,
): proposal is BlobPlaintext {
  return proposal !== null && !(bundle && isAbout(intent, proposal, bundle.contents))
}

function replace(
  { proposal, tickets }: AppendCommand & { proposal: BlobPlaintext },
  { intent, feeBps }: BundleState,
  keyId: Hex,
  bundle: EffectiveBundle | null,
): AppendDecision | Refusal {
  const problem = findBundleProblem(proposal, intent)
  if (problem !== null) return refuse('RECIPIENTS_INVALID', problem)
  if (!isOfIntent(intent, proposal)) return refuse('RECIPIENTS_UNKNOWN')
  if (proposal.signature === undefined) return refuse('SIGNATURE_REQUIRED')
  if (!isSignedBySender(intent, proposal)) return refuse('SIGNATURE_INVALID')
  if (proposal.n <= findNumber(bundle)) return refuse('N_TOO_LOW')
  if (proposal.recipients.length > intent.recipientClass) return refuse('CLASS_EXCEEDED')
  const registered = findRegisteredRecipients(proposal, tickets)
  if (isAboveTier(feeBps, chooseFeeTier(proposal, registered, tickets)))
    return refuse('FEE_TIER_FIXED')
  const { intentId } = intent
  return { ok: true, keyId, contents: { ...proposal, intentId, registered }, registered }
}

/** The bundle stays, and the blob adds what no enclave has signed yet. */
function complete(
  { proposal, tickets }: AppendCommand,
  { intent, feeBps }: BundleState,
  bundle: EffectiveBundle | null,
): AppendDecision | Refusal {
  if (bundle === null) return refuse('RECIPIENTS_UNKNOWN')
  const { contents, keyId } = bundle
  const extras = findExtras(intent, proposal, contents)
  const registered = bundle.registered === null ? findRegisteredRecipients(contents, tickets) : []
  if (registered.length === 0 && extras === null) return refuse('NOTHING_TO_APPEND')
  if (isAboveTier(feeBps, chooseFeeTier(contents, registered, tickets)))
    return refuse('FEE_TIER_FIXED')
  const { metadata: _, viewers: __, ...named } = contents
  const { intentId } = intent
  const said = registered.length > 0 ? named : { ...named, recipients: [], amounts: [] }
  return { ok: true, keyId, contents: { ...said, ...extras, intentId, registered }, registered }
}

function isAboveTier(anchored: number, tier: number): boolean {
  return anchored !== FEE_BPS.shielded && tier === FEE_BPS.shielded
}
