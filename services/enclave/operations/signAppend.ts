import { keccak256 } from 'viem'
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

/** Signs a further blob of an anchored intent. Like an anchor it binds terms and blobs. */
export async function signAppend(
  context: OperationContext,
  { intent: evidence, proposal, tickets }: CheckedRequest<'signAppend'>,
): Promise<ResponseOf<'signAppend'>> {
  const opened = await openIntent(context, evidence, SIGNED_IN.append)
  const { chain, destination, record, intent } = opened
  const { feeBps, recipientClass, blobsHash } = record
  if (feeBps === 0) throw new EnclaveError('WRONG_PHASE', 'open')
  const command = {
    type: 'append',
    proposal: openProposal(context, proposal),
    tickets: readTickets(context, destination, tickets),
  } as const
  const decision = decideBundle(command, bundleState(opened))
  if (!decision.ok) throw new EnclaveError(decision.code, decision.field)
  const { keyId, contents, registered } = decision
  const key = context.keyring.byId.get(keyId)
  if (key === undefined) throw new EnclaveError('KEY_MISSING')
  const isNaming = contents.recipients.length > 0
  const encryptedBlob = sealContents(context, key, contents, {
    recipientClass: isNaming ? recipientClass : 1,
  })
  const { intentId, paramsHash } = intent
  const signed = await signAttestation(context, chain, 'Append', {
    ...{ intentId, paramsHash, blobsHashBefore: blobsHash },
    blobHash: keccak256(encryptedBlob),
  })
  const replaced = replacedIn(context, opened, key.root, contents, registered)
  return { ...signed, encryptedBlob, replaced }
}
