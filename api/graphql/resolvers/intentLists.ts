import type { EventPlace } from '../../../services/store/listEvents.ts'
import { placeOfEvent } from '../../../services/store/listEvents.ts'
import type { BidRow, EventRow } from '../../../src/projection/rows.ts'
import { type Connection, connectionOf } from '../connection/connectionOf.ts'
import { decodeCursor, encodeCursor } from '../connection/cursor.ts'
import { checkedSize } from '../connection/pageOf.ts'
import type { GraphqlContext } from '../context.ts'
import { LARGEST_NESTED_PAGE } from '../limits/limits.ts'
import type { Past } from '../past.ts'
import type { IntentNode } from './intentNode.ts'

/** What `Event` is resolved from. */
export type EventNode = EventRow & {
  /** The earlier moment that its intent is shown as of. */
  past?: Past | null
}

/** Arguments of a list inside an intent: it is only walked forwards. `first` has a default. */
type NestedArguments = { first: number | null; after?: string | null }

const BIDS = 'bids'
const EVENTS = 'events'

/** Resolves `Intent.bids`. */
export async function bidsOf(
  intent: IntentNode,
  args: NestedArguments,
  { loaders }: GraphqlContext,
): Promise<Connection<BidRow>> {
  const page = nestedPage(args, (cursor) => Number(decodeCursor(BIDS, ['integer'], cursor)[0]))
  const rows = await (intent.past?.loaders ?? loaders)
    .bids(page.size + 1, asInt4(page.after ?? 0))
    .load(intent)
  return connectionOf(rows, page, (bid) => encodeCursor(BIDS, [bid.bidIndex]))
}

/** Resolves `Intent.events`. */
export async function eventsOf(
  intent: IntentNode,
  args: NestedArguments,
  { loaders }: GraphqlContext,
): Promise<Connection<EventNode>> {
  const page = nestedPage(args, decodeEventPlace)
  const { past } = intent
  const found = await (past?.loaders ?? loaders).events(page.size + 1, page.after).load(intent)
  const rows = found.map((row) => ({ ...row, past }))
  return connectionOf(rows, page, encodeEventPlace)
}

/** An event's cursor; good for every list of events, all being in the order of time. */
export function encodeEventPlace(event: EventRow): string {
  const { blockTimestamp, chainId, blockNumber, logIndex } = placeOfEvent(event)
  return encodeCursor(EVENTS, [blockTimestamp, chainId, blockNumber, logIndex])
}

/** The place that an event's cursor names. Throws INVALID_CURSOR. */
export function decodeEventPlace(cursor: string): EventPlace {
  const kinds = ['integer', 'integer', 'integer', 'integer'] as const
  const [blockTimestamp, chainId, blockNumber, logIndex] = decodeCursor(EVENTS, kinds, cursor).map(
    Number,
  ) as [number, number, number, number]
  // A log index is a 32-bit column; a forged cursor may say anything.
  return { blockTimestamp, chainId, blockNumber, logIndex: asInt4(logIndex) }
}

/** The nearest value that a 32-bit column can hold. */
function asInt4(value: number): number {
  return Math.min(Math.max(value, 0), 2 ** 31 - 1)
}

function nestedPage<Place>({ first, after }: NestedArguments, toPlace: (cursor: string) => Place) {
  return {
    size: checkedSize('first', first ?? LARGEST_NESTED_PAGE, LARGEST_NESTED_PAGE),
    after: after == null ? undefined : toPlace(after),
    before: undefined,
    fromEnd: false,
  }
}
