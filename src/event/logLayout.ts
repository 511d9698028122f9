import { type AbiEvent, toEventSelector } from 'viem'
import type { EventType } from './bridgeEvent.ts'
import { EVENT_ABI } from './eventFields.ts'

/** How the 32-byte word of an argument is read; the data of `bytes` lies where its word points to. */
export type WordKind = 'address' | 'bytes32' | 'bytes' | 'number' | 'bigint'

/** Where an event's argument is: a topic, or a word of the data, counted from 0. */
export type ArgumentPlace = { name: string; kind: WordKind; topic: number | null; word: number }

export type LogLayout = {
  type: EventType
  topics: number
  /** Words of the data's head. */
  words: number
  arguments: readonly ArgumentPlace[]
}

/** Layout of each event's log by its selector (topic 0), derived from the contract's ABI. */
export const LAYOUT_BY_SELECTOR: ReadonlyMap<string, LogLayout> = new Map(
  EVENT_ABI.map((event) => [toEventSelector(event), layoutOf(event)]),
)

function layoutOf({ name, inputs }: AbiEvent & { name: EventType }): LogLayout {
  let topics = 1
  let words = 0
  const places = inputs.map((input): ArgumentPlace => {
    const place = { name: input.name ?? '', kind: kindOf(input.type) }
    if (!input.indexed) return { ...place, topic: null, word: words++ }
    return { ...place, topic: topics++, word: -1 }
  })
  return { type: name, topics, words, arguments: places }
}

function kindOf(type: string): WordKind {
  if (type === 'address' || type === 'bytes32' || type === 'bytes') return type
  const bits = Number(/^uint(\d+)$/.exec(type)?.[1])
  if (Number.isNaN(bits)) throw new Error(`no rule for reading ${type} out of a log`)
  return bits <= 32 ? 'number' : 'bigint'
}
