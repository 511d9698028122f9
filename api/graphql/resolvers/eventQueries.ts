import { eventPlace, listEvents } from '../../../services/store/events/listEvents.ts'
import type { Direction } from '../../../services/store/intents/intentOrder.ts'
import { type AsOfBlocks, asOfView } from '../asOfView.ts'
import { type Connection, connectionOf } from '../connection/connectionOf.ts'
import { type PageArguments, requestedPage } from '../connection/requestedPage.ts'
import type { GraphqlContext } from '../context.ts'
import { type EventWhere, eventFilters } from '../filters/eventFilters.ts'
import { type EventNode, encodeEventPlace } from './nestedLists.ts'

type EventsArguments = PageArguments & {
  where?: EventWhere | null
  orderBy: { direction: Direction } | null
  asOf?: AsOfBlocks | null
}

/** Fields of `Query` about events. */
export const eventQueries = {
  events: async (
    _: unknown,
    { where, orderBy, asOf, ...args }: EventsArguments,
    context: GraphqlContext,
  ): Promise<Connection<EventNode>> => {
    const page = requestedPage(args, eventPlace)
    const view = await asOfView(asOf, context)
    const filter = await eventFilters(where, context.intents)
    const rows =
      filter.length === 0
        ? []
        : await listEvents(context.db, {
            ...page,
            filter,
            within: view?.asOf.cutoffs,
            direction: orderBy?.direction ?? 'desc',
            limit: page.size + 1,
          })
    const nodes = view ? rows.map((row) => ({ ...row, view })) : rows
    return connectionOf(nodes, page, encodeEventPlace)
  },
}
