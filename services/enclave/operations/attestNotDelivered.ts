import { EnclaveError } from '../enclaveError.ts'
import type { CheckedRequest, ResponseOf } from '../messages.ts'
import type { Room } from '../room.ts'
import { aboutWinner, openDelivery } from '../settle/openDelivery.ts'
import { signAttestation } from './signAttestation.ts'

/** Attests that by the deadline a winner hadn't paid: at a block of after it, deep enough to stay. */
export async function attestNotDelivered(
  room: Room,
  request: CheckedRequest<'attestNotDelivered'>,
): Promise<ResponseOf<'attestNotDelivered'>> {
  const opened = await openDelivery(room, request)
  const { chain, record, delivery, destinationTime } = opened
  const { fillDeadline } = record
  if (delivery !== null && delivery.solvedAt < fillDeadline) throw new EnclaveError('DELIVERED')
  if (destinationTime < fillDeadline) throw new EnclaveError('NOT_CONFIRMED', 'fillDeadline')
  const message = { ...aboutWinner(opened), fillDeadline: BigInt(fillDeadline) }
  return signAttestation(room, chain, 'NotDelivered', message)
}
