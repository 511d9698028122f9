import { decodeCursor, encodeCursor } from '../../../services/store/database/paginationCursor.ts'
import {
  asInt4,
  eventCursor,
  eventPlace,
  placeOfEvent,
} from '../../../services/store/events/listEvents.ts'
import type { BidRow, EventRow } from '../../../src/projection/rowTypes.ts'
import type { GraphqlContext } from '../graphqlContext.ts'
import { DEFAULT_NESTED_PAGE, LARGEST_NESTED_PAGE } from '../limits/limits.ts'
import { buildConnection, type Connection } from '../pagination/buildConnection.ts'
import { checkedSize } from '../pagination/parsePageArguments.ts'
import type { AsOfView } from '../resolveAsOfArgument.ts'
import type { IntentNode } from './intentNode.ts'

/** Source object of `Event`. */
export type EventNode = EventRow & {
  /** The past moment that its intent is shown at; null for now. */
  view?: AsOfView | null
}

/** Source object of `Bid`. */
export type BidNode = BidRow & {
  /** The moment of the intent it was reached through; null for now. */
  view?: AsOfView | null
}

/** Arguments of a list inside an object, which is paged forwards only. */
export type NestedArguments = { first: number | null; after?: string | null }

const BIDS = 'bids'

export async function resolveIntentBids(
  intent: IntentNode,
  args: NestedArguments,
  { loaders }: GraphqlContext,
): Promise<Connection<BidNode>> {
  const page = nestedPage(args, (cursor) => Number(decodeCursor(BIDS, ['integer'], cursor)[0]))
  const { view } = intent
  const found = await (view?.loaders ?? loaders)
    .bids(page.size + 1, asInt4(page.after ?? 0))
    .load(intent)
  const rows = view ? found.map((row) => ({ ...row, view })) : found
  return buildConnection(rows, page, (bid) => encodeCursor(BIDS, [bid.bidIndex]))
}

export async function resolveIntentEvents(
  intent: IntentNode,
  args: NestedArguments,
  { loaders }: GraphqlContext,
): Promise<Connection<EventNode>> {
  const page = nestedPage(args, eventPlace)
  const { view } = intent
  const found = await (view?.loaders ?? loaders).events(page.size + 1, page.after).load(intent)
  const rows = found.map((row) => ({ ...row, view }))
  return buildConnection(rows, page, encodeEventPlace)
}

/** An event's cursor, valid in every list of events, because all are ordered by time. */
export function encodeEventPlace(event: EventRow): string {
  return eventCursor(placeOfEvent(event))
}

/** The requested page of a list inside an object. */
export function nestedPage<Place>(
  { first, after }: NestedArguments,
  toPlace: (cursor: string) => Place,
) {
  return {
    // An explicit null bypasses the schema's default, and `countWorstCaseEntries` counts it as this default.
    size: checkedSize('first', first ?? DEFAULT_NESTED_PAGE, LARGEST_NESTED_PAGE),
    after: after == null ? undefined : toPlace(after),
    before: undefined,
    fromEnd: false,
  }
}
