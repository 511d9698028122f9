import { type EventFilter, listEvents } from '../../../services/store/events/listEvents.ts'
import { chooseIntent } from '../../../services/store/intents/findIntent.ts'
import { eventPlace } from '../../../services/store/intents/intentCursor.ts'
import type { Direction } from '../../../services/store/intents/intentOrder.ts'
import type { IntentKey } from '../../../services/store/intents/storedIntent.ts'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import type { ChainEventType } from '../../../src/event/chainEvent.ts'
import { type AsOfBlocks, asOfView } from '../asOfView.ts'
import { type Connection, connectionOf } from '../connection/connectionOf.ts'
import { type PageArguments, pageOf } from '../connection/pageOf.ts'
import type { GraphqlContext } from '../context.ts'
import { queryError } from '../errors/queryError.ts'
import { chosen } from '../filters/chosen.ts'
import { type Comparison, rangeOf } from '../filters/rangeOf.ts'
import { type EventNode, encodeEventPlace } from './intentLists.ts'

type EventWhere = {
  type?: ChainEventType | null
  typeIn?: readonly ChainEventType[] | null
  sender?: Hex | null
  chainId?: number | null
  chainIdIn?: readonly number[] | null
  blockNumber?: number | null
  intentId?: bigint | null
  sourceChainId?: number | null
  transactionHash?: Hex | null
  blockTimestamp?: Comparison<number> | null
}

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
    const page = pageOf(args, eventPlace)
    const past = await asOfView(asOf, context)
    const filter = await eventFilter(where ?? {}, context)
    const rows =
      filter === null
        ? []
        : await listEvents(context.db, {
            ...page,
            filter: { ...filter, within: past?.asOf.horizons },
            direction: orderBy?.direction ?? 'desc',
            limit: page.size + 1,
          })
    const nodes = past ? rows.map((row) => ({ ...row, past })) : rows
    return connectionOf(nodes, page, encodeEventPlace)
  },
}

/** Null when no event can pass: the intent isn't known. */
async function eventFilter(
  where: EventWhere,
  { intents }: GraphqlContext,
): Promise<EventFilter | null> {
  const { intentId, sourceChainId } = where
  if (sourceChainId != null && intentId == null) {
    throw queryError('BAD_USER_INPUT', 'sourceChainId needs intentId')
  }
  if (where.blockNumber != null && where.chainId == null) {
    throw queryError('BAD_USER_INPUT', 'blockNumber needs chainId')
  }
  let intent: IntentKey | undefined
  if (intentId != null) {
    const found = chooseIntent(await intents.candidates(intentId), sourceChainId ?? undefined)
    if (!found) return null
    intent = found.source
  }
  return {
    intent,
    sender: where.sender ?? undefined,
    type: where.type ?? undefined,
    types: chosen('typeIn', where.typeIn),
    chainId: where.chainId ?? undefined,
    chainIds: chosen('chainIdIn', where.chainIdIn),
    blockNumber: where.blockNumber ?? undefined,
    transactionHash: where.transactionHash ?? undefined,
    blockTimestamp: rangeOf(where.blockTimestamp),
  }
}
