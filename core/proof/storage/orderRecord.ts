import { concat, keccak256, numberToHex } from 'viem'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import { createFieldReader, toAddress } from './intentRecord.ts'
import type { ProvenStorage } from './storageProof.ts'

/** The slot of the vault's orders, fixed by its storage layout. */
const ORDERS = 0n

/** Slots of an order's record. */
const SLOTS = 4n

/** The fields of an order's record that decide whether it may be closed. */
export type OrderRecord = {
  stage: 'none' | 'open' | 'closed'
  owner: Hex
  /** Base units. */
  left: bigint
  amountPerPeriod: bigint
  /** Number of the next tranche. */
  fired: number
  /** Unix seconds. */
  endTime: number
  quorum: number
}

const STAGES = ['none', 'open', 'closed'] as const

/** The slots of an order's record, in their order. */
export function listOrderSlots(orderId: Hex): Hex[] {
  const first = BigInt(keccak256(concat([orderId, numberToHex(ORDERS, { size: 32 })])))
  return Array.from({ length: Number(SLOTS) }, (_, at) =>
    numberToHex((first + BigInt(at)) % (1n << 256n), { size: 32 }),
  )
}

/**
 * Reads an order from its vault's proven storage.
 *
 * @throws StorageProofError when a slot isn't proven
 */
export async function readOrderRecord(
  storage: Pick<ProvenStorage, 'read'>,
  orderId: Hex,
): Promise<OrderRecord> {
  const [head, owning] = listOrderSlots(orderId)
  const take = createFieldReader(await storage.read(head!))
  const [left, fired, , , endTime] = [take(96), take(32), take(32), take(32), take(32)]
  const [quorum, stage] = [take(8), take(8)]
  const takeOwning = createFieldReader(await storage.read(owning!))
  const [owner, amountPerPeriod] = [takeOwning(160), takeOwning(96)]
  return {
    stage: STAGES[Number(stage)] ?? 'none',
    owner: toAddress(owner!),
    left: left!,
    amountPerPeriod: amountPerPeriod!,
    fired: Number(fired),
    endTime: Number(endTime),
    quorum: Number(quorum),
  }
}
