import { type DeliveryRecord, readDelivery } from '../../../core/proof/storage/delivery.ts'
import type { Phase } from '../../../core/proof/storage/intentRecord.ts'
import { confirmationsFor } from '../../../core/settlement/confirmationsFor.ts'
import { type OpenedIntent, openIntent } from '../evidence/openIntent.ts'
import { openBridge, proven, requireDepth } from '../evidence/openStorage.ts'
import type { CheckedIntentEvidence, CheckedRequest } from '../messages.ts'
import type { Room } from '../room.ts'
import { type Told, tell } from './tell.ts'

/** An intent with a winner, deep enough in its source chain, and what that winner was told. */
export type WonIntent = OpenedIntent & { told: Told }

/** Opens the evidence about an intent that somebody has picked up. */
export async function openWon(
  room: Room,
  evidence: CheckedIntentEvidence,
  phases: readonly Phase[],
): Promise<WonIntent> {
  const opened = await openIntent(room, evidence, phases)
  const { chain, block, record } = opened
  await requireDepth(room, chain, block, confirmationsFor(chain, record.tokenA, record.escrow))
  return { ...opened, told: tell(room, opened) }
}

/** A picked up intent, and what the destination bridge stores in the place of its delivery. */
export type DeliveryCase = WonIntent & {
  delivery: DeliveryRecord | null
  /** Of the destination's block, unix seconds. */
  destinationTime: number
}

/** Opens the evidence of both chains. */
export async function openDelivery(
  room: Room,
  { intent, delivery }: CheckedRequest<'attestSettlement'>,
): Promise<DeliveryCase> {
  const won = await openWon(room, intent, ['deposited'])
  const { destination, record, told } = won
  const { block, storage } = await openBridge(room, destination, delivery)
  const depth = confirmationsFor(destination, record.tokenB, record.amountB)
  await requireDepth(room, destination, block, depth)
  const found = await proven(() => readDelivery(storage, told.deliveryKey))
  return { ...won, delivery: found, destinationTime: block.time }
}

/** What every message about a winner says. */
export function aboutWinner({ intent, record }: OpenedIntent) {
  const { intentId, paramsHash } = intent
  const { blobsHash, solver, amountB } = record
  return { intentId, paramsHash, blobsHash, solver, amountB }
}
