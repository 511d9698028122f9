import { encodeAbiParameters, keccak256 } from 'viem'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import { createFieldReader } from './intentRecord.ts'
import type { ProvenStorage } from './storageProof.ts'
import { findDeliverySlot } from './storageSlots.ts'

/** What identifies a delivery: what was delivered, by whom, and for which terms. */
type DeliveryOf = {
  sourceChainId: number
  intentId: bigint
  paramsHash: Hex
  tokenB: Hex
  /** The caller of `solveIntent`. */
  solver: Hex
  recipients: readonly Hex[]
  /** Base units of tokenB, as paid. */
  amounts: readonly bigint[]
}

const KEY_TYPES = [
  { type: 'uint256' },
  { type: 'uint256' },
  { type: 'bytes32' },
  { type: 'address' },
  { type: 'address' },
  { type: 'bytes32' },
] as const

/** Key of a delivery in the destination bridge's `deliveryAt`. */
export function computeDeliveryKey(delivery: DeliveryOf): Hex {
  const { sourceChainId, intentId, paramsHash, tokenB, solver, recipients, amounts } = delivery
  const paid = encodeAbiParameters(
    [{ type: 'address[]' }, { type: 'uint256[]' }],
    [recipients, amounts],
  )
  return keccak256(
    encodeAbiParameters(KEY_TYPES, [
      BigInt(sourceChainId),
      intentId,
      paramsHash,
      tokenB,
      solver,
      keccak256(paid),
    ]),
  )
}

/** A delivery as the destination bridge stores it. */
export type DeliveryRecord = {
  sequence: bigint
  /** Time of its block, unix seconds. */
  solvedAt: number
}

/**
 * Reads the delivery under a key; null when there is none.
 *
 * @throws StorageProofError when the slot isn't proven
 */
export async function readDelivery(
  storage: Pick<ProvenStorage, 'read'>,
  key: Hex,
): Promise<DeliveryRecord | null> {
  const take = createFieldReader(await storage.read(findDeliverySlot(key)))
  const [sequence, solvedAt] = [take(64), take(64)]
  return sequence === 0n ? null : { sequence, solvedAt: Number(solvedAt) }
}
