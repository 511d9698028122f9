import { type AbiEvent, toEventSelector } from 'viem'
import type { ChainEventType } from './chainEvent.ts'
import { EVENT_ABI, VAULT_EVENTS } from './eventFields.ts'

/** How the 32-byte word of an argument is read; the data of `bytes` is where its word points to. */
export type WordKind = 'address' | 'bytes32' | 'bytes' | 'number' | 'bigint'

/** Where an event's argument is: a topic, or a word of the data, counted from 0. */
export type ArgumentPlace = { name: string; kind: WordKind; topic: number | null; word: number }

export type LogLayout = {
  type: ChainEventType
  topics: number
  /** Words of the data's head. */
  words: number
  arguments: readonly ArgumentPlace[]
}

/** Layouts by selector (topic 0), derived from a contract's ABI. */
export type Layouts = ReadonlyMap<string, LogLayout>

/** Layouts of the bridge's logs. */
export const BRIDGE_LAYOUTS: Layouts = new Map(
  EVENT_ABI.map((abi) => [toEventSelector(abi), layoutOf(abi.name, abi)]),
)

/** Layouts of a vault's logs. Two of its selectors are the bridge's too. */
export const VAULT_LAYOUTS: Layouts = new Map(
  VAULT_EVENTS.map(({ type, abi }) => [toEventSelector(abi), layoutOf(type, abi)]),
)

function layoutOf(type: ChainEventType, { inputs }: AbiEvent): LogLayout {
  let topics = 1
  let words = 0
  const places = inputs.map((input): ArgumentPlace => {
    const place = { name: input.name ?? '', kind: kindOf(input.type) }
    if (!input.indexed) return { ...place, topic: null, word: words++ }
    return { ...place, topic: topics++, word: -1 }
  })
  return { type, topics, words, arguments: places }
}

function kindOf(type: string): WordKind {
  if (type === 'address' || type === 'bytes32' || type === 'bytes') return type
  const bits = Number(/^uint(\d+)$/.exec(type)?.[1])
  if (Number.isNaN(bits)) throw new Error(`no rule for reading ${type} out of a log`)
  return bits <= 32 ? 'number' : 'bigint'
}
