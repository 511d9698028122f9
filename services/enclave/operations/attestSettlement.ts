import { refuseSettlement, SIGNED_IN } from '../../../core/settlement/decideAttestation.ts'
import { EnclaveError } from '../enclaveError.ts'
import type { CheckedRequest, ResponseOf } from '../messages.ts'
import type { OperationContext } from '../operationContext.ts'
import { aboutWinner, openDeep, openDelivery } from '../settle/openDelivery.ts'
import { paymentsToWinner } from '../settle/paymentsToWinner.ts'
import { signAttestation } from './signAttestation.ts'

/** Attests that before the deadline a winner paid the recipients and amounts that were revealed to it. */
export async function attestSettlement(
  context: OperationContext,
  { intent, delivery: evidence }: CheckedRequest<'attestSettlement'>,
): Promise<ResponseOf<'attestSettlement'>> {
  const opened = await openDeep(context, intent, SIGNED_IN.settlement)
  const { deliveryKey } = paymentsToWinner(context, opened)
  const shown = await openDelivery(context, opened, deliveryKey, evidence)
  const refusal = refuseSettlement(shown)
  if (refusal !== null) throw new EnclaveError(refusal)
  const { chain, destination } = opened
  const chain2IntentId = (BigInt(destination.chainId) << 64n) | shown.delivery!.sequence
  return signAttestation(context, chain, 'Settlement', { ...aboutWinner(opened), chain2IntentId })
}
