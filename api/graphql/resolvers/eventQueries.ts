import { eventPlace, listEvents } from '../../../services/store/events/listEvents.ts'
import { type AsOfBlocks, asOfView } from '../asOfView.ts'
import type { Connection } from '../connection/connectionOf.ts'
import { type ListArguments, readConnection } from '../connection/readConnection.ts'
import type { GraphqlContext } from '../context.ts'
import { type EventWhere, eventFilters } from '../filters/eventFilters.ts'
import { type EventNode, encodeEventPlace } from './nestedLists.ts'

type EventsArguments = ListArguments<EventWhere> & { asOf?: AsOfBlocks | null }

const CURSORS = { cursorOf: encodeEventPlace, placeIn: eventPlace }

/** Fields of `Query` about events. */
export const eventQueries = {
  events: (
    _: unknown,
    { where, asOf, ...args }: EventsArguments,
    context: GraphqlContext,
  ): Promise<Connection<EventNode>> =>
    readConnection(args, CURSORS, async (page) => {
      const view = await asOfView(asOf, context)
      const filter = await eventFilters(where, context.intents)
      if (filter.length === 0) return []
      const within = view?.asOf.cutoffs
      const rows = await listEvents(context.db, { ...page, filter, within })
      return view ? rows.map((row) => ({ ...row, view })) : rows
    }),
}
