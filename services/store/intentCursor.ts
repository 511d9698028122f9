import type { SourceFacts } from '../../src/intent/facts.ts'
import { decodeCursor, encodeCursor } from './cursor.ts'
import { type IntentOrder, type IntentPlace, placeOf } from './intentOrder.ts'
import type { EventPlace } from './listEvents.ts'

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
  const [value, intentId, sourceChainId] = decodeCursor(listName(order), 3, cursor)
  return { value: value!, intentId: intentId!, sourceChainId: Number(sourceChainId) }
}

/** Where an event stands in time, as opaque text. */
export function eventCursor(place: EventPlace): string {
  const { blockTimestamp, chainId, blockNumber, logIndex } = place
  return encodeCursor('events', [blockTimestamp, chainId, blockNumber, logIndex])
}

/** The place that `eventCursor` wrote. Throws CursorError for anything else. */
export function eventPlace(cursor: string): EventPlace {
  const [blockTimestamp, chainId, blockNumber, logIndex] = decodeCursor('events', 4, cursor)
  return {
    blockTimestamp: Number(blockTimestamp),
    chainId: Number(chainId),
    blockNumber: Number(blockNumber),
    logIndex: Number(logIndex),
  }
}

function listName({ by, direction }: IntentOrder): string {
  return `intents ${by} ${direction}`
}
