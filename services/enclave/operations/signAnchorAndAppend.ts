import { keccak256 } from 'viem'
import type { AnchorDecision } from '../../../core/recipientBundle/decide/decideAnchor.ts'
import type { AppendDecision } from '../../../core/recipientBundle/decide/decideAppend.ts'
import { decideBundle } from '../../../core/recipientBundle/decideBundle.ts'
import type { Tickets } from '../../../core/recipientBundle/findRegisteredRecipients.ts'
import { SIGNABLE_PHASES } from '../../../core/settlement/attestationRefusals.ts'
import { attestation } from '../../../sdk/intent/attestationTypedData.ts'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import type { EnclaveChain } from '../enclaveChain.ts'
import { EnclaveError } from '../enclaveError.ts'
import {
  readPlaintext,
  toBundleState,
  type VerifiedIntentEvidence,
  verifyIntentEvidence,
} from '../evidence/verifyIntentEvidence.ts'
import { openRegistration, openTicket } from '../keys/sealedRecipientTickets.ts'
import type { Handler, OperationContext } from '../operationContext.ts'
import type { CheckedRequest, Replaced } from '../operationSchemas.ts'
import { deriveReplaced } from '../settle/calculateRecipientPayments.ts'
import { deriveSafe } from './deriveStealth.ts'
import { sealContents } from './sealBlob.ts'
import { signWithAttesterKey } from './signWithAttesterKey.ts'

/**
 * Signs the anchor of an intent whose recipients count. The block needn't be deep: the signature covers terms and
 * blobs, and the bridge accepts it only if both match.
 */
export const signAnchor: Handler<'signAnchor'> = async (context, request) => {
  const opened = await verifyIntentEvidence(context, request.intent, SIGNABLE_PHASES.anchor)
  if (opened.record.feeBps !== 0) throw new EnclaveError('WRONG_PHASE', 'anchored')
  const { current, byId } = context.keyring
  const proposed = {
    ...readProposal(context, opened, request),
    currentKeyId: current.id,
    hasKey: (keyId: Hex) => byId.has(keyId),
    now: opened.block.time,
  }
  const decision = decideBundle({ type: 'anchor', ...proposed }, toBundleState(opened))
  if (!decision.ok) throw new EnclaveError(decision.code, decision.field)
  const { feeBps, recipientClass } = decision
  const { encryptedBlob, replaced } = seal(context, opened, decision, recipientClass)
  const message = {
    ...toBlobFields(opened),
    feeBps,
    recipientClass,
    blobHash: keccak256(encryptedBlob),
  }
  const signed = await signWithAttesterKey(context, attestation(opened.chain, 'Anchor', message))
  return { ...signed, encryptedBlob, replaced }
}

/** Signs another blob of an anchored intent. Like an anchor it binds terms and blobs. */
export const signAppend: Handler<'signAppend'> = async (context, request) => {
  const opened = await verifyIntentEvidence(context, request.intent, SIGNABLE_PHASES.append)
  const { feeBps, recipientClass } = opened.record
  if (feeBps === 0) throw new EnclaveError('WRONG_PHASE', 'open')
  const proposed = readProposal(context, opened, request)
  const decision = decideBundle({ type: 'append', ...proposed }, toBundleState(opened))
  if (!decision.ok) throw new EnclaveError(decision.code, decision.field)
  const isNaming = decision.contents.recipients.length > 0
  const { encryptedBlob, replaced } = seal(context, opened, decision, isNaming ? recipientClass : 1)
  const message = { ...toBlobFields(opened), blobHash: keccak256(encryptedBlob) }
  const signed = await signWithAttesterKey(context, attestation(opened.chain, 'Append', message))
  return { ...signed, encryptedBlob, replaced }
}

function readProposal(
  context: OperationContext,
  { destination }: VerifiedIntentEvidence,
  { proposal, tickets }: Omit<CheckedRequest<'signAnchor'>, 'intent'>,
) {
  return {
    proposal: proposal === undefined ? null : openProposal(context, proposal),
    tickets: readRecipientTickets(context, destination, tickets),
  }
}

/**
 * A bundle that isn't on chain. Anyone can seal one to the enclave's key; only the sender's signature inside makes it
 * count. What it says of registered wallets is ignored.
 */
function openProposal(context: OperationContext, proposal: Uint8Array) {
  const contents = readPlaintext(context, proposal)
  if (contents === null) throw new EnclaveError('DECRYPTION_FAILED', 'proposal')
  return { ...contents, registered: [] }
}

/** Seals the decision; empty when the chain already says everything. */
function seal(
  context: OperationContext,
  opened: VerifiedIntentEvidence,
  { keyId, contents, registered }: AnchorDecision | AppendDecision,
  recipientClass: number,
): { encryptedBlob: Hex; replaced: Replaced[] } {
  const key = context.keyring.byId.get(keyId)
  if (key === undefined) throw new EnclaveError('KEY_MISSING')
  if (contents === null) return { encryptedBlob: '0x', replaced: [] }
  return {
    encryptedBlob: sealContents(context, key, contents, { recipientClass }),
    replaced: deriveReplaced(context, opened, key.root, contents, registered),
  }
}

function toBlobFields({ intent: { intentId, paramsHash }, record }: VerifiedIntentEvidence) {
  return { intentId, paramsHash, blobsHashBefore: record.blobsHash }
}

/**
 * Reads the enclave's own tickets about recipients on a chain: which wallets are registered, and which Safes were
 * issued there. Tickets that it didn't seal, or for another chain, don't count.
 */
function readRecipientTickets(
  context: OperationContext,
  { chainId }: Pick<EnclaveChain, 'chainId'>,
  tickets: readonly Hex[],
): Tickets {
  const { roots } = context.keyring
  const wallets = new Map<Hex, { isContract: boolean }>()
  const safes = new Set<Hex>()
  for (const ticket of tickets) {
    const registered = openRegistration(roots, ticket)
    if (registered !== null) {
      const { recipientAddress, contractOn } = registered
      // A key takes precedence over code at its address.
      if (contractOn === undefined) wallets.set(recipientAddress, { isContract: false })
      else if (contractOn === chainId && !wallets.has(recipientAddress))
        wallets.set(recipientAddress, { isContract: true })
      continue
    }
    const given = openTicket(roots, ticket)
    if (given === null || given.delivery.chainId !== chainId) continue
    safes.add(deriveSafe(context, given.root, given.delivery).safeAddress)
  }
  return { wallets, safes }
}
