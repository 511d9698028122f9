import { findCandidatesAsOf } from '../../../services/store/asOf/loadIntentsAsOf.ts'
import { countUpTo } from '../../../services/store/intents/countIntents.ts'
import { chooseIntent, findIntentKeys } from '../../../services/store/intents/findIntent.ts'
import type { IntentFilter } from '../../../services/store/intents/intentFilter.ts'
import {
  changesInLife,
  type Direction,
  type IntentOrder,
  type IntentOrderBy,
  intentCursor,
  intentPlace,
  placeCursor,
} from '../../../services/store/intents/intentOrder.ts'
import { listIntents, settledOnly } from '../../../services/store/intents/listIntents.ts'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import { type AsOfBlocks, type AsOfView, asOfView } from '../asOfView.ts'
import { connectionOf } from '../connection/connectionOf.ts'
import { countedOnce } from '../connection/countedOnce.ts'
import { type PageArguments, requestedPage } from '../connection/requestedPage.ts'
import type { GraphqlContext } from '../context.ts'
import { queryError } from '../errors/queryError.ts'
import { type IntentWhere, intentFilters, withoutSymbols } from '../filters/intentFilters.ts'
import { type IntentNode, intentNode, pastNode } from './intentNode.ts'

type IntentArguments = {
  id: bigint
  sourceChainId?: number | null
  asOf?: AsOfBlocks | null
}

/** Arguments of `Query.intents`. */
export type IntentsArguments = PageArguments & {
  where?: IntentWhere | null
  orderBy: { field: IntentOrderBy; direction: Direction } | null
  asOf?: AsOfBlocks | null
}

/** Fields of `Query` about intents. */
export const intentQueries = {
  intent: async (
    _: unknown,
    { id, sourceChainId, asOf }: IntentArguments,
    context: GraphqlContext,
  ): Promise<IntentNode | null> => {
    const { db, intents, chains } = context
    const view = await asOfView(asOf, context)
    if (view) {
      const found = await findCandidatesAsOf(db, id, view.asOf)
      const stored = chooseIntent(found, sourceChainId ?? undefined)
      return stored && pastNode(stored, view)
    }
    const stored = chooseIntent(await intents.candidates(id), sourceChainId ?? undefined)
    return stored && intentNode(stored, chains)
  },

  intents: async (_: unknown, args: IntentsArguments, context: GraphqlContext) => {
    const { db, chains, tokens } = context
    const filter = intentFilters(await withoutSymbols(args.where, tokens))
    const view = await asOfView(args.asOf, context)
    if (view) return pastIntents(view, filter, args, context)
    const order = orderOf(args.orderBy)
    const page = requestedPage(args, (cursor) => intentPlace(cursor, order))
    const stored = await listIntents(db, {
      ...page,
      filter,
      order,
      limit: page.size + 1,
      heads: chains.heads,
    })
    const nodes = stored.map((one) => intentNode(one, chains))
    return {
      ...connectionOf(nodes, page, (node) => intentCursor(node, order)),
      ...countedOnce(() => countUpTo(db, settledOnly(filter, order), chains.heads)),
    }
  },

  intentsByTransaction: async (
    _: unknown,
    { hash, asOf }: { hash: Hex; asOf?: AsOfBlocks | null },
    context: GraphqlContext,
  ): Promise<IntentNode[]> => {
    const { db, chains } = context
    const view = await asOfView(asOf, context)
    const { loaders } = view ?? context
    const keys = await findIntentKeys(db, hash)
    const stored = await Promise.all(keys.map((key) => loaders.intent.load(key)))
    return stored
      .filter((one) => one !== null)
      .map((one) => (view ? pastNode(one, view) : intentNode(one, chains)))
  },
}

/** Walked forwards, and only as far as a page's work goes: then `endCursor` is where to go on. */
async function pastIntents(
  view: AsOfView,
  filter: IntentFilter[],
  args: IntentsArguments,
  { asOf }: GraphqlContext,
) {
  const order = orderOf(args.orderBy)
  if (args.last != null || args.before != null) {
    throw queryError('BAD_USER_INPUT', 'with asOf, lists only go forwards: use first and after')
  }
  if (changesInLife(order)) {
    throw queryError(
      'BAD_USER_INPUT',
      `with asOf, lists can’t be ordered by ${order.by}: choose another order`,
    )
  }
  const page = requestedPage(args, (cursor) => intentPlace(cursor, order))
  const { size: limit, after } = page
  const { intents, next } = await asOf.list({ filter, order, after, limit }, view.asOf)
  const nodes = intents.map((stored) => pastNode(stored, view))
  const connection = connectionOf(nodes, page, (node) => intentCursor(node, order))
  return {
    ...connection,
    pageInfo: {
      ...connection.pageInfo,
      hasNextPage: next !== null,
      endCursor: () => (next ? placeCursor(next, order) : connection.pageInfo.endCursor()),
    },
    totalCount: () => asOf.count(filter, view.asOf),
    totalCountIsExact: true,
  }
}

/** The order that is asked for; newest first by default. */
export function orderOf(orderBy: IntentsArguments['orderBy']): IntentOrder {
  return { by: orderBy?.field ?? 'createdAt', direction: orderBy?.direction ?? 'desc' }
}
