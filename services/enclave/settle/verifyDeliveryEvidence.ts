import { type DeliveryRecord, readDelivery } from '../../../core/proof/storage/deliveryRecord.ts'
import type { Phase } from '../../../core/proof/storage/intentRecord.ts'
import type { AttestationCase } from '../../../core/settlement/attestationRefusals.ts'
import {
  findDeliveryConfirmations,
  findDepositConfirmations,
} from '../../../core/settlement/requiredConfirmations.ts'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import {
  type VerifiedIntentEvidence,
  verifyIntentEvidence,
} from '../evidence/verifyIntentEvidence.ts'
import {
  readProven,
  requireDepth,
  verifyBridgeEvidence,
} from '../evidence/verifyStorageEvidence.ts'
import type { OperationContext } from '../operationContext.ts'
import type { CheckedIntentEvidence, CheckedStorageEvidence } from '../operationSchemas.ts'

/** Verifies the evidence about an intent with a winner, at a block of its source chain that is deep enough. */
export async function verifyConfirmedIntent(
  context: OperationContext,
  evidence: CheckedIntentEvidence,
  phases: readonly Phase[],
): Promise<VerifiedIntentEvidence> {
  const opened = await verifyIntentEvidence(context, evidence, phases)
  const { chain, block, record } = opened
  await requireDepth(context, chain, block, findDepositConfirmations(chain, record))
  return opened
}

/**
 * Verifies what the destination bridge stores under a delivery's key, at a block that is deep enough.
 *
 * @param key null if there can be no delivery: then only the block's time counts
 */
export async function verifyDeliveryEvidence(
  context: OperationContext,
  { destination, record }: VerifiedIntentEvidence,
  key: Hex | null,
  evidence: CheckedStorageEvidence,
): Promise<AttestationCase> {
  const { block, storage } = await verifyBridgeEvidence(context, destination, evidence)
  const depth = findDeliveryConfirmations(destination, {
    tokenB: record.tokenB,
    winningAmountB: record.amountB,
  })
  await requireDepth(context, destination, block, depth)
  const read = (): Promise<DeliveryRecord | null> =>
    key === null ? Promise.resolve(null) : readDelivery(storage, key)
  const { fillDeadline } = record
  return { delivery: await readProven(read), fillDeadline, destinationTime: block.time }
}

/** Fields common to all messages about a winner. */
export function toWinnerFields({ intent, record }: VerifiedIntentEvidence) {
  const { intentId, paramsHash } = intent
  const { blobsHash, solver, amountB } = record
  return { intentId, paramsHash, blobsHash, solver, amountB }
}
