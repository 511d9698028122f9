import { concat, keccak256, numberToHex, pad } from 'viem'
import type { Hex } from '../../../src/event/bridgeEvent.ts'

/** The bridge's slots that proofs cover: its first ones, fixed by its storage layout. */
const RECORDS = 0n
const SEALING_KEYS = 1n
const DELIVERIES = 2n
const TOKENS = 3n
const DESTINATIONS = 4n

/** Slots of an intent's record. */
const RECORD_SLOTS = 5

/** The registry's slots that proofs cover. */
const KEYS = 0n
const GENERATIONS = 1n
const OPERATORS = 2n
const OPERATOR_COUNT = 3n

/** Slots of a registered key. */
const KEY_SLOTS = 5

/** Slots of an intent's record, in their order. */
export function listRecordSlots(intentId: bigint): Hex[] {
  const first = computeMappingSlot(toWord(intentId), RECORDS)
  return Array.from({ length: RECORD_SLOTS }, (_, at) => addToSlot(first, at))
}

/** Slots of the coordinates of a solver's sealing key. */
export function listSealingKeySlots(solver: Hex): [x: Hex, y: Hex] {
  const first = computeMappingSlot(pad(solver), SEALING_KEYS)
  return [first, addToSlot(first, 1)]
}

/** @param key see `computeDeliveryKey` */
export function findDeliverySlot(key: Hex): Hex {
  return computeMappingSlot(key, DELIVERIES)
}

export function findTokenSlot(tokenIndex: number): Hex {
  return addToSlot(keccak256(toWord(TOKENS)), tokenIndex)
}

export function findDestinationSlot(destinationIndex: number): Hex {
  return addToSlot(keccak256(toWord(DESTINATIONS)), destinationIndex)
}

/**
 * Every slot about an intent, to request from a node in one `eth_getProof`.
 *
 * @param solver whose sealing key is requested as well
 */
export function listIntentSlots(intent: {
  intentId: bigint
  tokenIndex: number
  destinationIndex: number
  solver?: Hex | undefined
}): Hex[] {
  const { intentId, tokenIndex, destinationIndex, solver } = intent
  return [
    ...listRecordSlots(intentId),
    findTokenSlot(tokenIndex),
    findDestinationSlot(destinationIndex),
    ...(solver === undefined ? [] : listSealingKeySlots(solver)),
  ]
}

/** Slots of a key in the registry, in their order. */
export function listKeySlots(signer: Hex): Hex[] {
  const first = computeMappingSlot(pad(signer), KEYS)
  return Array.from({ length: KEY_SLOTS }, (_, at) => addToSlot(first, at))
}

/** When a measurement's generation was removed. */
export function findGenerationSlot(generation: number): Hex {
  return computeMappingSlot(toWord(BigInt(generation)), GENERATIONS)
}

export function findOperatorSlot(operator: Hex): Hex {
  return computeMappingSlot(pad(operator), OPERATORS)
}

export const OPERATOR_COUNT_SLOT: Hex = toWord(OPERATOR_COUNT)

/** Every slot that decides whether a key is active and these operators count. */
export function listEnclaveKeySlots(key: {
  signer: Hex
  generation: number
  operators: readonly Hex[]
}): Hex[] {
  const { signer, generation, operators } = key
  return [
    ...listKeySlots(signer),
    findGenerationSlot(generation),
    OPERATOR_COUNT_SLOT,
    ...operators.map(findOperatorSlot),
  ]
}

function computeMappingSlot(key: Hex, slot: bigint): Hex {
  return keccak256(concat([key, toWord(slot)]))
}

function addToSlot(slot: Hex, count: number): Hex {
  return toWord((BigInt(slot) + BigInt(count)) % (1n << 256n))
}

/** A number as the 32 bytes of a storage slot. */
export function toWord(value: bigint): Hex {
  return numberToHex(value, { size: 32 })
}
