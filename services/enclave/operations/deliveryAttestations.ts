import { packIntentId } from '../../../core/intent/intentId.ts'
import {
  findNotDeliveredRefusal,
  findSettlementRefusal,
  SIGNABLE_PHASES,
} from '../../../core/settlement/attestationRefusals.ts'
import { attestation } from '../../../sdk/intent/attestationTypedData.ts'
import { EnclaveError } from '../enclaveError.ts'
import type { Handler } from '../operationContext.ts'
import {
  calculateRecipientPayments,
  isWithoutRecipients,
} from '../settle/calculateRecipientPayments.ts'
import {
  toWinnerFields,
  verifyConfirmedIntent,
  verifyDeliveryEvidence,
} from '../settle/verifyDeliveryEvidence.ts'
import { signWithAttesterKey } from './signWithAttesterKey.ts'

/** Attests that a winner paid the recipients and amounts revealed to it before the deadline. */
export const attestSettlement: Handler<'attestSettlement'> = async (
  context,
  { intent, delivery: evidence },
) => {
  const opened = await verifyConfirmedIntent(context, intent, SIGNABLE_PHASES.settlement)
  const { deliveryKey } = calculateRecipientPayments(context, opened)
  const shown = await verifyDeliveryEvidence(context, opened, deliveryKey, evidence)
  const refusal = findSettlementRefusal(shown)
  if (refusal !== null) throw new EnclaveError(refusal)
  const { chain, destination } = opened
  const chain2IntentId = packIntentId(destination.chainId, shown.delivery!.sequence)
  const message = { ...toWinnerFields(opened), chain2IntentId }
  return signWithAttesterKey(context, attestation(chain, 'Settlement', message))
}

/**
 * Attests that a winner hadn't paid by the deadline, at a later block that is deep enough. If no recipients can be
 * revealed to any winner, none has paid.
 */
export const attestNotDelivered: Handler<'attestNotDelivered'> = async (
  context,
  { intent, delivery: evidence },
) => {
  const opened = await verifyConfirmedIntent(context, intent, SIGNABLE_PHASES.notDelivered)
  const key = isWithoutRecipients(context, opened)
    ? null
    : calculateRecipientPayments(context, opened).deliveryKey
  const refusal = findNotDeliveredRefusal(
    await verifyDeliveryEvidence(context, opened, key, evidence),
  )
  if (refusal === 'NOT_CONFIRMED') throw new EnclaveError(refusal, 'fillDeadline')
  if (refusal !== null) throw new EnclaveError(refusal)
  const fillDeadline = BigInt(opened.record.fillDeadline)
  const message = { ...toWinnerFields(opened), fillDeadline }
  return signWithAttesterKey(context, attestation(opened.chain, 'NotDelivered', message))
}
