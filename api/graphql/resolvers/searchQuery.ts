import { parseOrderId } from '../../../core/order/apiOrderId.ts'
import { findIntentKeys } from '../../../services/store/intents/intentLookup.ts'
import {
  AmbiguousOrderError,
  findOrder,
  loadOrders,
} from '../../../services/store/orders/findOrder.ts'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import type { GraphqlContext } from '../graphqlContext.ts'
import { createIntentNode } from './intentNode.ts'
import { createOrderNode } from './orderNode.ts'

/** Longer texts match nothing. */
const MAX_LENGTH = 200
const MAX_RESULTS = 20

type SearchResult = object & { __typename: string }

/** The field of `Query` that finds objects by ids, hashes, addresses and symbols. */
export const searchQuery = {
  search: async ({ text }: { text: string }, context: GraphqlContext) => {
    const words = text.trim()
    if (words === '' || words.length > MAX_LENGTH) return []
    const results = await Promise.all([
      ordersBy(words, context),
      intentsBy(words, context),
      solversBy(words, context),
      tokensBy(words, context),
    ])
    return results.flat().slice(0, MAX_RESULTS)
  },
}

async function ordersBy(words: string, { db, chains }: GraphqlContext): Promise<SearchResult[]> {
  const range = parseOrderId(words)
  if (!range) return []
  const orders = await findOrder(db, range).then(
    (order) => (order ? [order] : []),
    (error: unknown) => {
      if (error instanceof AmbiguousOrderError) return loadOrders(db, error.candidates)
      throw error
    },
  )
  return orders.map((order) => ({ ...createOrderNode(order, { chains }), __typename: 'Order' }))
}

async function intentsBy(words: string, context: GraphqlContext): Promise<SearchResult[]> {
  const { db, chains, intents, loaders } = context
  const plain = words.replace(/^#/, '').replaceAll(',', '')
  const isNumber = /^(\d{1,77}|0x[0-9a-f]{1,64})$/i.test(plain)
  const isHash = /^0x[0-9a-f]{64}$/i.test(words)
  const [byId, byHash] = await Promise.all([
    isNumber && !/^0x[0-9a-f]{40}$/i.test(plain) ? intents.candidates(BigInt(plain)) : [],
    isHash ? findIntentKeys(db, words.toLowerCase() as Hex) : [],
  ])
  const loaded = await Promise.all(byHash.map((key) => loaders.intent.load(key)))
  return [...byId, ...loaded]
    .filter((stored) => stored !== null)
    .map((stored) => ({ ...createIntentNode(stored, { chains }), __typename: 'Intent' }))
}

async function solversBy(words: string, { loaders }: GraphqlContext): Promise<SearchResult[]> {
  if (!/^0x[0-9a-f]{40}$/i.test(words)) return []
  const solver = await loaders.solver.load(words.toLowerCase() as Hex)
  return solver ? [{ ...solver, __typename: 'Solver' }] : []
}

async function tokensBy(words: string, { tokens }: GraphqlContext): Promise<SearchResult[]> {
  const name = words.toLowerCase()
  return (await tokens.list())
    .filter(({ address, symbol }) => address === name || symbol?.toLowerCase() === name)
    .map((token) => ({ ...token, __typename: 'Token' }))
}
