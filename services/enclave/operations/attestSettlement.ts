import { EnclaveError } from '../enclaveError.ts'
import type { CheckedRequest, ResponseOf } from '../messages.ts'
import type { Room } from '../room.ts'
import { aboutWinner, openDelivery } from '../settle/openDelivery.ts'
import { signAttestation } from './signAttestation.ts'

/** Attests that a winner paid those it was told, what it was told, before the deadline. */
export async function attestSettlement(
  room: Room,
  request: CheckedRequest<'attestSettlement'>,
): Promise<ResponseOf<'attestSettlement'>> {
  const opened = await openDelivery(room, request)
  const { chain, destination, record, delivery } = opened
  if (delivery === null || delivery.solvedAt >= record.fillDeadline) {
    throw new EnclaveError('NOT_DELIVERED')
  }
  const chain2IntentId = (BigInt(destination.chainId) << 64n) | delivery.sequence
  return signAttestation(room, chain, 'Settlement', { ...aboutWinner(opened), chain2IntentId })
}
