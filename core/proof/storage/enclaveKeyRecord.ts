import type { Hex } from '../../../src/event/bridgeEvent.ts'
import { createFieldReader, toAddress } from './intentRecord.ts'
import type { ProvenStorage } from './storageProof.ts'
import {
  findGenerationSlot,
  findOperatorSlot,
  listKeySlots,
  OPERATOR_COUNT_SLOT,
  toWord,
} from './storageSlots.ts'

/** An enclave's key as a registry stores it. */
type EnclaveKeyRecord = {
  operator: Hex
  /** Unix seconds; 0 when it was never registered. */
  activation: number
  expiry: number
  /** 0 while it isn't revoked. */
  revocation: number
  measurement: Hex
  generation: number
  /** 65 bytes. */
  eciesPublicKey: Hex
}

type Storage = Pick<ProvenStorage, 'read'>

/** @throws StorageProofError when a slot isn't proven */
export async function readEnclaveKey(storage: Storage, signer: Hex): Promise<EnclaveKeyRecord> {
  const [first, measurement, generation, x, y] = await Promise.all(
    listKeySlots(signer).map(storage.read),
  )
  const take = createFieldReader(first!)
  const [operator, activation, expiry, revocation] = [take(160), take(32), take(32), take(32)]
  return {
    operator: toAddress(operator),
    activation: Number(activation),
    expiry: Number(expiry),
    revocation: Number(revocation),
    measurement: toWord(measurement!),
    generation: Number(generation! & 0xff_ff_ff_ffn),
    eciesPublicKey: `0x04${toWord(x!).slice(2)}${toWord(y!).slice(2)}`,
  }
}

/**
 * Whether a key is active at a time, by the rule of the registry's `isActive`.
 *
 * @throws StorageProofError when a slot isn't proven
 */
export async function isActiveKey(
  storage: Storage,
  { operator, activation, expiry, revocation, generation }: EnclaveKeyRecord,
  time: number,
): Promise<boolean> {
  if (activation === 0 || activation > time || expiry <= time || revocation !== 0) return false
  if ((await storage.read(findGenerationSlot(generation))) !== 0n) return false
  return (await readRemoval(storage, operator)) === 0n
}

/** Whether an operator is on the registry's list at a time. */
export async function isListedOperator(
  storage: Storage,
  operator: Hex,
  time: number,
): Promise<boolean> {
  const take = createFieldReader(await storage.read(findOperatorSlot(operator)))
  const [listing, removal] = [take(64), take(64)]
  return listing !== 0n && listing <= BigInt(time) && removal === 0n
}

/** Number of the registry's operators, including announced ones. */
export async function readOperatorCount(storage: Storage): Promise<number> {
  return Number(await storage.read(OPERATOR_COUNT_SLOT))
}

async function readRemoval(storage: Storage, operator: Hex): Promise<bigint> {
  const take = createFieldReader(await storage.read(findOperatorSlot(operator)))
  take(64)
  return take(64)
}
