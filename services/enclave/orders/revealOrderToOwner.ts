import { toApiOrderId } from '../../../core/order/apiOrderId.ts'
import { isReadMessage } from '../../../core/order/findOrderMessageProblem.ts'
import { EnclaveError } from '../enclaveError.ts'
import type { Handler } from '../operationContext.ts'
import { openOwnersOrder, requireSigner } from './openSubmission.ts'

/** Returns an order's recipients to its owner. */
export const revealOrderToOwner: Handler<'readOrder'> = async (
  context,
  { sourceChainId, encrypted, message, signature },
) => {
  const { submission, orderId } = openOwnersOrder(context, encrypted, sourceChainId)
  const { user: owner, recipients, amounts } = submission
  if (!isReadMessage(message, [toApiOrderId(orderId), orderId], context.now())) {
    throw new EnclaveError('MESSAGE_REFUSED', 'ORDER_NOT_NAMED')
  }
  await requireSigner(context, sourceChainId, { owner, message, signature })
  return { recipients: [...recipients], amounts: [...amounts] }
}
