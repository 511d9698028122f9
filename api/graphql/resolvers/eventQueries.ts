import { eventPlace, listEvents } from '../../../services/store/events/listEvents.ts'
import { type EventWhere, toEventFilters } from '../filters/toEventFilters.ts'
import type { GraphqlContext } from '../graphqlContext.ts'
import type { Connection } from '../pagination/buildConnection.ts'
import { type ListArguments, readConnection } from '../pagination/readConnection.ts'
import { type AsOfBlocks, resolveAsOfArgument } from '../resolveAsOfArgument.ts'
import { type EventNode, encodeEventPlace } from './intentNestedLists.ts'

type EventsArguments = ListArguments<EventWhere> & { asOf?: AsOfBlocks | null }

const CURSORS = { cursorOf: encodeEventPlace, placeIn: eventPlace }

/** Fields of `Query` about events. */
export const eventQueries = {
  events: (
    { where, asOf, ...args }: EventsArguments,
    context: GraphqlContext,
  ): Promise<Connection<EventNode>> =>
    readConnection(args, CURSORS, async (page) => {
      const view = await resolveAsOfArgument(asOf, context)
      const filter = await toEventFilters(where, context.intents)
      if (filter.length === 0) return []
      const within = view?.asOf.cutoffs
      const rows = await listEvents(context.db, { ...page, filter, within })
      return view ? rows.map((row) => ({ ...row, view })) : rows
    }),
}
