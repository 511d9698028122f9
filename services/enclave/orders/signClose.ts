import { buildVaultMessage } from '../../../core/order/enclaveVaultMessages.ts'
import { findCancelMessageProblem } from '../../../core/order/findOrderMessageProblem.ts'
import { readOrderRecord } from '../../../core/proof/storage/orderRecord.ts'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import { EnclaveError } from '../enclaveError.ts'
import {
  readProven,
  requireDepth,
  verifyStorageEvidence,
} from '../evidence/verifyStorageEvidence.ts'
import type { Handler, OperationContext } from '../operationContext.ts'
import type { CheckedStorageEvidence } from '../operationSchemas.ts'
import { signWithAttesterKey } from '../operations/signWithAttesterKey.ts'
import { openOwnersOrder, requireSigner, requireVault } from './openSubmission.ts'
import { acceptsAnyMessage } from './signFunding.ts'

/**
 * Signs that an order may be closed: on its owner's message, or because the vault's storage shows that it has stopped.
 */
export const signClose: Handler<'signClose'> = async (context, { sourceChainId, orderId, by }) => {
  const chain = requireVault(context, sourceChainId)
  if ('vault' in by) await requireStopped(context, chain, orderId, by.vault)
  else await requireOwnerMessage(context, sourceChainId, orderId, by)
  return signWithAttesterKey(context, buildVaultMessage(chain, 'CloseOrder', { orderId }))
}

async function requireOwnerMessage(
  context: OperationContext,
  sourceChainId: number,
  orderId: Hex,
  { encrypted, message, signature }: { encrypted: Hex; message: string; signature: Hex },
): Promise<void> {
  const opened = openOwnersOrder(context, encrypted, sourceChainId)
  if (opened.orderId !== orderId) throw new EnclaveError('REQUEST_INVALID', 'orderId')
  const { user: owner } = opened.submission
  await requireSigner(context, sourceChainId, { owner, message, signature })
  const mayBeAnything = acceptsAnyMessage(opened.chain)
  const about = { orderId, sourceChainId, now: context.now(), mayBeAnything }
  const problem = findCancelMessageProblem(message, about)
  if (problem !== null) throw new EnclaveError('MESSAGE_REFUSED', problem)
}

/** Requires enough confirmations, because a tranche that a reorg removes could be fired again. */
async function requireStopped(
  context: OperationContext,
  chain: ReturnType<typeof requireVault>,
  orderId: Hex,
  evidence: CheckedStorageEvidence,
): Promise<void> {
  const { block, storage } = await verifyStorageEvidence(context, chain, chain.vault, evidence)
  const order = await readProven(() => readOrderRecord(storage, orderId))
  if (order.stage !== 'open') throw new EnclaveError('WRONG_PHASE', order.stage)
  const hasStopped = order.left < order.amountPerPeriod || block.time >= order.endTime
  if (!hasStopped) throw new EnclaveError('WRONG_PHASE', 'running')
  await requireDepth(context, chain, block, chain.confirmations)
}
