import { hexToBytes, keccak256 } from 'viem'
import { decideBundle } from '../../../core/bundle/decideBundle.ts'
import { SIGNED_IN } from '../../../core/settlement/decideAttestation.ts'
import { EnclaveError } from '../enclaveError.ts'
import { bundleState, openIntent } from '../evidence/openIntent.ts'
import type { CheckedRequest, ResponseOf } from '../messages.ts'
import type { OperationContext } from '../operationContext.ts'
import { replacedIn } from '../settle/paymentsToWinner.ts'
import { openProposal } from './openProposal.ts'
import { readTickets } from './readTickets.ts'
import { sealContents } from './sealBlob.ts'
import { signAttestation } from './signAttestation.ts'

/**
 * Signs the anchor of an intent whose recipients count. The block need not be deep: the signature covers
 * terms and blobs, and the bridge accepts it only if both match.
 */
export async function signAnchor(
  context: OperationContext,
  { intent: evidence, proposal, tickets }: CheckedRequest<'signAnchor'>,
): Promise<ResponseOf<'signAnchor'>> {
  const opened = await openIntent(context, evidence, SIGNED_IN.anchor)
  const { chain, destination, block, record, intent } = opened
  if (record.feeBps !== 0) throw new EnclaveError('WRONG_PHASE', 'anchored')
  const { keyring } = context
  const command = {
    type: 'anchor',
    proposal: openProposal(context, proposal),
    tickets: readTickets(context, destination, tickets),
    currentKeyId: keyring.current.id,
    now: block.time,
  } as const
  const decision = decideBundle(command, bundleState(opened))
  if (!decision.ok) throw new EnclaveError(decision.code, decision.field)
  const { feeBps, recipientClass, contents, keyId, registered } = decision
  const key = keyring.byId.get(keyId)
  if (key === undefined) throw new EnclaveError('KEY_MISSING')
  const encryptedBlob =
    contents === null ? '0x' : sealContents(context, key, contents, { recipientClass })
  const { intentId, paramsHash } = intent
  const signed = await signAttestation(context, chain, 'Anchor', {
    ...{ intentId, paramsHash, blobsHashBefore: record.blobsHash, feeBps, recipientClass },
    blobHash: keccak256(hexToBytes(encryptedBlob)),
  })
  const replaced =
    contents === null ? [] : replacedIn(context, opened, key.root, contents, registered)
  return { ...signed, encryptedBlob, replaced }
}
