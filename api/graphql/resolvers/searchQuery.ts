import { orderIdRange } from '../../../core/order/apiOrderId.ts'
import { findIntentKeys } from '../../../services/store/intents/findIntent.ts'
import {
  AmbiguousOrderError,
  findOrder,
  loadOrders,
} from '../../../services/store/orders/findOrder.ts'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import type { GraphqlContext } from '../context.ts'
import { intentNode } from './intentNode.ts'
import { orderNode } from './orderNode.ts'

/** Longer texts match nothing. */
const LONGEST = 200
const MOST = 20

type Found = object & { __typename: string }

/** The field of `Query` that finds objects by ids, hashes, addresses and symbols. */
export const searchQuery = {
  search: async (_: unknown, { text }: { text: string }, context: GraphqlContext) => {
    const words = text.trim()
    if (words === '' || words.length > LONGEST) return []
    const found = await Promise.all([
      ordersBy(words, context),
      intentsBy(words, context),
      solversBy(words, context),
      tokensBy(words, context),
    ])
    return found.flat().slice(0, MOST)
  },
}

async function ordersBy(words: string, { db, chains }: GraphqlContext): Promise<Found[]> {
  const range = orderIdRange(words)
  if (!range) return []
  const orders = await findOrder(db, range).then(
    (order) => (order ? [order] : []),
    (error: unknown) => {
      if (error instanceof AmbiguousOrderError) return loadOrders(db, error.candidates)
      throw error
    },
  )
  return orders.map((order) => ({ ...orderNode(order, { chains }), __typename: 'Order' }))
}

async function intentsBy(words: string, context: GraphqlContext): Promise<Found[]> {
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
    .map((stored) => ({ ...intentNode(stored, chains), __typename: 'Intent' }))
}

async function solversBy(words: string, { loaders }: GraphqlContext): Promise<Found[]> {
  if (!/^0x[0-9a-f]{40}$/i.test(words)) return []
  const solver = await loaders.solver.load(words.toLowerCase() as Hex)
  return solver ? [{ ...solver, __typename: 'Solver' }] : []
}

async function tokensBy(words: string, { tokens }: GraphqlContext): Promise<Found[]> {
  const asked = words.toLowerCase()
  return (await tokens.list())
    .filter(({ address, symbol }) => address === asked || symbol?.toLowerCase() === asked)
    .map((token) => ({ ...token, __typename: 'Token' }))
}
