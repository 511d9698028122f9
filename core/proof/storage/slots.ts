import { concat, keccak256, numberToHex, pad } from 'viem'
import type { Hex } from '../../../src/event/bridgeEvent.ts'

/** Where the bridge keeps what is proven: its first slots, committed in its storage layout. */
const RECORDS = 0n
const SEALING_KEYS = 1n
const DELIVERIES = 2n
const TOKENS = 3n
const DESTINATIONS = 4n

/** Slots of an intent's record. */
const RECORD_SLOTS = 5

/** Where the registry keeps what is proven. */
const KEYS = 0n
const GENERATIONS = 1n
const OPERATORS = 2n
const OPERATOR_COUNT = 3n

/** Slots of a registered key. */
const KEY_SLOTS = 5

/** Slots of an intent's record, in their order. */
export function recordSlots(intentId: bigint): Hex[] {
  const first = mappingSlot(word(intentId), RECORDS)
  return Array.from({ length: RECORD_SLOTS }, (_, at) => after(first, at))
}

/** Where the coordinates of a solver's sealing key are. */
export function sealingKeySlots(solver: Hex): [x: Hex, y: Hex] {
  const first = mappingSlot(pad(solver), SEALING_KEYS)
  return [first, after(first, 1)]
}

/** @param key see `deliveryKey` */
export function deliverySlot(key: Hex): Hex {
  return mappingSlot(key, DELIVERIES)
}

export function tokenSlot(tokenIndex: number): Hex {
  return after(keccak256(word(TOKENS)), tokenIndex)
}

export function destinationSlot(destinationIndex: number): Hex {
  return after(keccak256(word(DESTINATIONS)), destinationIndex)
}

/**
 * Every slot about an intent, to request from a node in one `eth_getProof`.
 *
 * @param solver whose sealing key is requested as well
 */
export function slotsOfIntent(intent: {
  intentId: bigint
  tokenIndex: number
  destinationIndex: number
  solver?: Hex | undefined
}): Hex[] {
  const { intentId, tokenIndex, destinationIndex, solver } = intent
  return [
    ...recordSlots(intentId),
    tokenSlot(tokenIndex),
    destinationSlot(destinationIndex),
    ...(solver === undefined ? [] : sealingKeySlots(solver)),
  ]
}

/** Slots of a key in the registry, in their order. */
export function enclaveKeySlots(signer: Hex): Hex[] {
  const first = mappingSlot(pad(signer), KEYS)
  return Array.from({ length: KEY_SLOTS }, (_, at) => after(first, at))
}

/** When a measurement's generation was removed. */
export function generationSlot(generation: number): Hex {
  return mappingSlot(word(BigInt(generation)), GENERATIONS)
}

export function operatorSlot(operator: Hex): Hex {
  return mappingSlot(pad(operator), OPERATORS)
}

export const OPERATOR_COUNT_SLOT: Hex = word(OPERATOR_COUNT)

/** Every slot that decides whether a key is active and these operators count. */
export function slotsOfEnclaveKey(key: {
  signer: Hex
  generation: number
  operators: readonly Hex[]
}): Hex[] {
  const { signer, generation, operators } = key
  return [
    ...enclaveKeySlots(signer),
    generationSlot(generation),
    OPERATOR_COUNT_SLOT,
    ...operators.map(operatorSlot),
  ]
}

function mappingSlot(key: Hex, slot: bigint): Hex {
  return keccak256(concat([key, word(slot)]))
}

function after(slot: Hex, count: number): Hex {
  return word((BigInt(slot) + BigInt(count)) % (1n << 256n))
}

function word(value: bigint): Hex {
  return numberToHex(value, { size: 32 })
}
