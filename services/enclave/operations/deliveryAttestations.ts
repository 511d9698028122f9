import {
  refuseNotDelivered,
  refuseSettlement,
  SIGNABLE_PHASES,
} from '../../../core/settlement/decideAttestation.ts'
import { attestation } from '../../../sdk/intent/attestations.ts'
import { EnclaveError } from '../enclaveError.ts'
import type { Handler } from '../operationContext.ts'
import { openConfirmedIntent, openDelivery, toWinnerFields } from '../settle/openDelivery.ts'
import { calculateWinnerPayments, isWithoutRecipients } from '../settle/paymentsToWinner.ts'
import { signMessage } from './signMessage.ts'

/** Attests that a winner paid the recipients and amounts revealed to it before the deadline. */
export const attestSettlement: Handler<'attestSettlement'> = async (
  context,
  { intent, delivery: evidence },
) => {
  const opened = await openConfirmedIntent(context, intent, SIGNABLE_PHASES.settlement)
  const { deliveryKey } = calculateWinnerPayments(context, opened)
  const shown = await openDelivery(context, opened, deliveryKey, evidence)
  const refusal = refuseSettlement(shown)
  if (refusal !== null) throw new EnclaveError(refusal)
  const { chain, destination } = opened
  const chain2IntentId = (BigInt(destination.chainId) << 64n) | shown.delivery!.sequence
  const message = { ...toWinnerFields(opened), chain2IntentId }
  return signMessage(context, attestation(chain, 'Settlement', message))
}

/**
 * Attests that a winner hadn't paid by the deadline, at a later block that is deep enough. If no recipients can be
 * revealed to any winner, none has paid.
 */
export const attestNotDelivered: Handler<'attestNotDelivered'> = async (
  context,
  { intent, delivery: evidence },
) => {
  const opened = await openConfirmedIntent(context, intent, SIGNABLE_PHASES.notDelivered)
  const key = isWithoutRecipients(context, opened)
    ? null
    : calculateWinnerPayments(context, opened).deliveryKey
  const refusal = refuseNotDelivered(await openDelivery(context, opened, key, evidence))
  if (refusal === 'NOT_CONFIRMED') throw new EnclaveError(refusal, 'fillDeadline')
  if (refusal !== null) throw new EnclaveError(refusal)
  const fillDeadline = BigInt(opened.record.fillDeadline)
  const message = { ...toWinnerFields(opened), fillDeadline }
  return signMessage(context, attestation(opened.chain, 'NotDelivered', message))
}
