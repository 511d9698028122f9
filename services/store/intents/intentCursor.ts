import type { SourceFacts } from '../../../src/intent/facts.ts'
import { decodeCursor, encodeCursor } from '../database/cursor.ts'
import type { EventPlace } from '../events/listEvents.ts'
import { type IntentOrder, type IntentPlace, isByAmount, placeOf } from './intentOrder.ts'

/** Where an intent stands in an order, as opaque text. */
export function intentCursor(source: SourceFacts, order: IntentOrder): string {
  return placeCursor(placeOf(source, order), order)
}

/** A place in an order as opaque text. */
export function placeCursor(place: IntentPlace, order: IntentOrder): string {
  return encodeCursor(listName(order), [place.value, place.intentId, place.sourceChainId])
}

/** The place that `intentCursor` wrote for this order. Throws CursorError for anything else. */
export function intentPlace(cursor: string, order: IntentOrder): IntentPlace {
  const kind = isByAmount(order) ? 'numeric' : 'integer'
  const values = decodeCursor(listName(order), [kind, 'numeric', 'integer'], cursor)
  const [value, intentId, sourceChainId] = values as [string, string, string]
  return {
    value: BigInt(value),
    intentId: BigInt(intentId),
    sourceChainId: Number(sourceChainId),
  }
}

/** Where an event stands in time, as opaque text. */
export function eventCursor(place: EventPlace): string {
  const { blockTimestamp, chainId, blockNumber, logIndex } = place
  return encodeCursor('events', [blockTimestamp, chainId, blockNumber, logIndex])
}

/** The place that `eventCursor` wrote. Throws CursorError for anything else. */
export function eventPlace(cursor: string): EventPlace {
  const kinds = ['integer', 'integer', 'integer', 'integer'] as const
  const [blockTimestamp, chainId, blockNumber, logIndex] = decodeCursor(
    'events',
    kinds,
    cursor,
  ).map(Number) as [number, number, number, number]
  return { blockTimestamp, chainId, blockNumber, logIndex: asInt4(logIndex) }
}

/** The nearest value that a 32-bit column can hold: a forged cursor may say anything. */
export function asInt4(value: number): number {
  return Math.min(Math.max(value, 0), 2 ** 31 - 1)
}

function listName({ by, direction }: IntentOrder): string {
  return `intents ${by} ${direction}`
}
