import { findCandidatesAsOf } from '../../../services/store/asOf/loadIntentsAsOf.ts'
import { countUpTo, type IntentCount } from '../../../services/store/intents/countIntents.ts'
import type { IntentFilter } from '../../../services/store/intents/intentFilter.ts'
import { chooseIntent, findIntentKeys } from '../../../services/store/intents/intentLookup.ts'
import {
  changesInLife,
  type IntentSortColumn,
  type IntentSortOrder,
  intentCursor,
  intentPlace,
  placeCursor,
} from '../../../services/store/intents/intentSortOrder.ts'
import { listIntents, settledOnly } from '../../../services/store/intents/listIntents.ts'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import { queryError } from '../errors/queryError.ts'
import { type IntentWhere, resolveSymbols, toIntentFilters } from '../filters/toIntentFilters.ts'
import type { GraphqlContext } from '../graphqlContext.ts'
import { buildConnection } from '../pagination/buildConnection.ts'
import { parsePageArguments } from '../pagination/parsePageArguments.ts'
import { type ListArguments, readConnection } from '../pagination/readConnection.ts'
import { type AsOfBlocks, type AsOfView, resolveAsOfArgument } from '../resolveAsOfArgument.ts'
import { createIntentNode, type IntentNode } from './intentNode.ts'

type IntentArguments = {
  id: bigint
  sourceChainId?: number | null
  asOf?: AsOfBlocks | null
}

type IntentsArguments = ListArguments<IntentWhere, { field: IntentSortColumn }> & {
  asOf?: AsOfBlocks | null
}

/** Fields of `Query` about intents. */
export const intentQueries = {
  intent: async (
    { id, sourceChainId, asOf }: IntentArguments,
    context: GraphqlContext,
  ): Promise<IntentNode | null> => {
    const { db, intents, chains } = context
    const view = await resolveAsOfArgument(asOf, context)
    const candidates = await (view ? findCandidatesAsOf(db, id, view.asOf) : intents.candidates(id))
    const stored = chooseIntent(candidates, sourceChainId ?? undefined)
    return stored && createIntentNode(stored, { chains, view })
  },

  intents: async (args: IntentsArguments, context: GraphqlContext) => {
    const filter = toIntentFilters(await resolveSymbols(args.where, context.tokens))
    const view = await resolveAsOfArgument(args.asOf, context)
    return view ? pastIntents(view, filter, args, context) : presentIntents(filter, args, context)
  },

  intentsByTransaction: async (
    { hash, asOf }: { hash: Hex; asOf?: AsOfBlocks | null },
    context: GraphqlContext,
  ): Promise<IntentNode[]> => {
    const { db, chains } = context
    const view = await resolveAsOfArgument(asOf, context)
    const { loaders } = view ?? context
    const keys = await findIntentKeys(db, hash)
    const stored = await Promise.all(keys.map((key) => loaders.intent.load(key)))
    return stored
      .filter((one) => one !== null)
      .map((one) => createIntentNode(one, { chains, view }))
  },
}

/** A page of the present intents. They are counted only if a count is selected, and once for both count fields. */
async function presentIntents(
  filter: IntentFilter[],
  args: IntentsArguments,
  { db, chains }: GraphqlContext,
) {
  const { heads } = chains
  const order = orderOf(args.orderBy)
  const cursors = {
    cursorOf: (node: IntentNode) => intentCursor(node, order),
    placeIn: (cursor: string) => intentPlace(cursor, order),
  }
  let counting: Promise<IntentCount> | null = null
  const counted = () => {
    counting ??= countUpTo(db, settledOnly(filter, order), heads)
    return counting
  }
  return {
    ...(await readConnection(args, cursors, async (page) => {
      const stored = await listIntents(db, { ...page, filter, order, heads })
      return stored.map((one) => createIntentNode(one, { chains }))
    })),
    totalCount: async () => (await counted()).count,
    totalCountIsExact: async () => (await counted()).isExact,
  }
}

/**
 * A page of the intents of a past moment, forwards only. The work for a page is limited, so it may be short, and then
 * `endCursor` says where to continue.
 */
async function pastIntents(
  view: AsOfView,
  filter: IntentFilter[],
  args: IntentsArguments,
  { asOf }: GraphqlContext,
) {
  const order = orderOf(args.orderBy)
  if (args.last != null || args.before != null) {
    throw queryError('BAD_USER_INPUT', 'with asOf, lists only page forwards: use first and after')
  }
  if (changesInLife(order)) {
    throw queryError(
      'BAD_USER_INPUT',
      `with asOf, lists can’t be ordered by ${order.by}: choose another order`,
    )
  }
  const page = parsePageArguments(args, (cursor) => intentPlace(cursor, order))
  const { size: limit, after } = page
  const { intents, next } = await asOf.list({ filter, order, after, limit }, view.asOf)
  const nodes = intents.map((stored) =>
    createIntentNode(stored, { chains: view.asOf.chains, view }),
  )
  const connection = buildConnection(nodes, page, (node) => intentCursor(node, order))
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

/** The requested order; by default, newest first. */
function orderOf(orderBy: IntentsArguments['orderBy']): IntentSortOrder {
  return { by: orderBy?.field ?? 'createdAt', direction: orderBy?.direction ?? 'desc' }
}
