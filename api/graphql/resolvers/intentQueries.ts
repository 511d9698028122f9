import { countIntents } from '../../../services/store/countIntents.ts'
import { chooseIntent } from '../../../services/store/findIntent.ts'
import { findIntentKeys } from '../../../services/store/findIntentKeys.ts'
import type { Direction, IntentPlace } from '../../../services/store/intentOrder.ts'
import {
  type IntentOrder,
  type IntentOrderBy,
  placeOf,
} from '../../../services/store/intentOrder.ts'
import { listIntents } from '../../../services/store/listIntents.ts'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import { connectionOf } from '../connection/connectionOf.ts'
import { decodeCursor, encodeCursor } from '../connection/cursor.ts'
import { type PageArguments, pageOf } from '../connection/pageOf.ts'
import type { GraphqlContext } from '../context.ts'
import { type IntentWhere, intentFilters } from '../filters/intentFilters.ts'
import { type IntentNode, intentNode } from './intentNode.ts'

type IntentsArguments = PageArguments & {
  where?: IntentWhere | null
  orderBy: { field: IntentOrderBy; direction: Direction } | null
}

/** Fields of `Query` about intents. */
export const intentQueries = {
  intent: async (
    _: unknown,
    { id, sourceChainId }: { id: bigint; sourceChainId?: number | null },
    { intents, chains }: GraphqlContext,
  ): Promise<IntentNode | null> => {
    const stored = chooseIntent(await intents.candidates(id), sourceChainId ?? undefined)
    return stored && intentNode(stored, chains)
  },

  intents: async (_: unknown, args: IntentsArguments, { db, chains }: GraphqlContext) => {
    const order = orderOf(args.orderBy)
    const page = pageOf(args, (cursor) => placeIn(order, cursor))
    const filter = intentFilters(args.where)
    const stored = await listIntents(db, {
      ...page,
      filter,
      order,
      limit: page.size + 1,
      heads: chains.heads,
    })
    const nodes = stored.map((one) => intentNode(one, chains))
    return {
      ...connectionOf(nodes, page, (node) => cursorIn(order, node)),
      totalCount: () => countIntents(db, filter, chains.heads),
    }
  },

  intentsByTransaction: async (
    _: unknown,
    { hash }: { hash: Hex },
    { db, chains, loaders }: GraphqlContext,
  ): Promise<IntentNode[]> => {
    const keys = await findIntentKeys(db, hash)
    const stored = await Promise.all(keys.map((key) => loaders.intent.load(key)))
    return stored.filter((one) => one !== null).map((one) => intentNode(one, chains))
  },
}

function orderOf(orderBy: IntentsArguments['orderBy']): IntentOrder {
  return { by: orderBy?.field ?? 'createdAt', direction: orderBy?.direction ?? 'desc' }
}

function cursorIn(order: IntentOrder, node: IntentNode): string {
  const { value, intentId, sourceChainId } = placeOf(node, order)
  return encodeCursor(`intents.${order.by}`, [value, intentId, sourceChainId])
}

function placeIn(order: IntentOrder, cursor: string): IntentPlace {
  const kind = order.by === 'amountA' || order.by === 'reward' ? 'numeric' : 'integer'
  const values = decodeCursor(`intents.${order.by}`, [kind, 'numeric', 'integer'], cursor)
  const [value, intentId, sourceChainId] = values as [string, string, string]
  return {
    value: BigInt(value),
    intentId: BigInt(intentId),
    sourceChainId: Number(sourceChainId),
  }
}
