import { refuseNotDelivered, SIGNED_IN } from '../../../core/settlement/decideAttestation.ts'
import { EnclaveError } from '../enclaveError.ts'
import type { CheckedRequest, ResponseOf } from '../messages.ts'
import type { Room } from '../room.ts'
import { aboutWinner, openDeep, openDelivery } from '../settle/openDelivery.ts'
import { isForNobody, paymentsToWinner } from '../settle/paymentsToWinner.ts'
import { signAttestation } from './signAttestation.ts'

/**
 * Attests that a winner hadn't paid by the deadline, at a later block that is deep enough. Where no
 * winner can be told whom to pay, none has paid.
 */
export async function attestNotDelivered(
  room: Room,
  { intent, delivery: evidence }: CheckedRequest<'attestNotDelivered'>,
): Promise<ResponseOf<'attestNotDelivered'>> {
  const opened = await openDeep(room, intent, SIGNED_IN.notDelivered)
  const key = isForNobody(room, opened) ? null : paymentsToWinner(room, opened).deliveryKey
  const refusal = refuseNotDelivered(await openDelivery(room, opened, key, evidence))
  if (refusal === 'NOT_CONFIRMED') throw new EnclaveError(refusal, 'fillDeadline')
  if (refusal !== null) throw new EnclaveError(refusal)
  const fillDeadline = BigInt(opened.record.fillDeadline)
  const message = { ...aboutWinner(opened), fillDeadline }
  return signAttestation(room, opened.chain, 'NotDelivered', message)
}
