import { listBridges } from '../../../services/store/chains/listBridges.ts'
import { listEscrow } from '../../../services/store/chains/listEscrow.ts'
import { loadEventRows } from '../../../services/store/events/loadEvents.ts'
import { listPairTotals } from '../../../services/store/pairs/listPairTotals.ts'
import type { Pair } from '../../../services/store/pairs/pairFilter.ts'
import { PAIR_DAYS } from '../../../services/store/pairs/pairPeriods.ts'
import { ROUTES } from '../../../services/store/pairs/routes.ts'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import type { GraphqlContext } from '../graphqlContext.ts'
import { type AsOfBlocks, type AsOfView, resolveAsOfArgument } from '../resolveAsOfArgument.ts'
import { SCALARS } from '../scalars/scalars.ts'
import { intentQueries } from './intentQueries.ts'
import { createOrderNode } from './orderNode.ts'

/** A parsed id: the words between its colons, and the blocks after its `@`. */
type Parts = { words: readonly string[]; asOf: AsOfBlocks | null }

type Find = (parts: Parts, context: GraphqlContext) => Promise<object | null | undefined>

/** How to find objects of each type. An id that doesn't match the pattern is unknown. */
const TYPES: Record<string, { pattern: RegExp; find: Find }> = {
  Intent: {
    pattern: /^\d{1,15}:\d{1,78}$/,
    find: async ({ words: [chain, id = ''], asOf }, context) => {
      const key = { id: BigInt(id), sourceChainId: Number(chain), asOf }
      return intentQueries.intent(key, context)
    },
  },
  Bid: {
    pattern: /^\d{1,15}:\d{1,78}:\d{1,9}$/,
    find: async ({ words: [chain, id = '', index], asOf }, context) => {
      const view = await resolveAsOfArgument(asOf, context)
      const key = { sourceChainId: Number(chain), intentId: BigInt(id) }
      const { loaders } = view ?? context
      const [bid] = await loaders.bids(1, Number(index) - 1).load(key)
      return bid?.bidIndex === Number(index) ? { ...bid, view } : null
    },
  },
  Event: {
    pattern: /^\d{1,15}:\d{1,15}:\d{1,9}:0x[0-9a-f]{64}$/,
    find: async ({ words: [chain, block, log, hash], asOf }, context) => {
      const key = { chainId: Number(chain), blockNumber: Number(block), logIndex: Number(log) }
      const view = await resolveAsOfArgument(asOf, context)
      const [event] = await loadEventRows(context.db, [key])
      return event?.blockHash === hash && isWithin(view, key) ? { ...event, view } : null
    },
  },
  Token: {
    pattern: /^\d{1,15}:0x[0-9a-f]{40}$/,
    // Only known tokens, so that made-up addresses cause no calls to a chain.
    find: async ({ words: [chain, address] }, { tokens }) =>
      (await tokens.list()).find(
        (token) => token.chainId === Number(chain) && token.address === address,
      ),
  },
  Order: {
    pattern: /^\d{1,15}:0x[0-9a-f]{64}$/,
    find: async ({ words: [chain, id], asOf }, context) => {
      const view = await resolveAsOfArgument(asOf, context)
      const key = { chainId: Number(chain), orderId: id as Hex }
      const order = await (view?.loaders ?? context.loaders).order.load(key)
      return order && createOrderNode(order, { chains: context.chains, view })
    },
  },
  Solver: {
    pattern: /^0x[0-9a-f]{40}$/,
    find: async ({ words: [address] }, { loaders }) => loaders.solver.load(address as Hex),
  },
  Route: {
    pattern: /^\d{1,15}:\d{1,15}:0x[0-9a-f]{40}:0x[0-9a-f]{40}$/,
    find: async ({ words }, { db }) =>
      (await ROUTES.list(db, pairOf(words), { direction: 'asc', ...ONE }))[0],
  },
  PairDay: {
    pattern: /^\d{1,15}:\d{1,15}:0x[0-9a-f]{40}:0x[0-9a-f]{40}:\d{4}-\d\d-\d\d$/,
    find: async ({ words }, { db }) => {
      const day = dayIn(words[4] ?? '')
      const filter = { ...pairOf(words), day: { from: day, to: day } }
      return (await PAIR_DAYS.list(db, filter, { direction: 'asc', ...ONE }))[0]
    },
  },
  PairTotal: {
    pattern:
      /^\d{1,15}:\d{1,15}:0x[0-9a-f]{40}:0x[0-9a-f]{40}(?:[:,](\d{4}-\d\d-\d\d)?\.\.(\d{4}-\d\d-\d\d)?){1,320}$/,
    find: async ({ words }, { db }) => {
      if (words.length !== 5) return null
      const days = (words[4] ?? '').split(',').map((range) => {
        const [from, to] = range.split('..').map((day) => (day ? dayIn(day) : undefined))
        return { from, to }
      })
      const page = { direction: 'asc', ...ONE } as const
      const filters = days.map((day) => ({ ...pairOf(words), day }))
      const [total] = await listPairTotals(db, filters, 'pair', page)
      return total && { ...total, days }
    },
  },
  Escrow: {
    pattern: /^\d{1,15}:0x[0-9a-f]{40}$/,
    find: async ({ words: [chain, token] }, { db }) =>
      (await listEscrow(db, Number(chain))).find((row) => row.token === token),
  },
  Bridge: {
    pattern: /^\d{1,15}$/,
    find: async ({ words: [chain] }, { db }) => (await listBridges(db, Number(chain)))[0],
  },
}

/** Types whose ids may end in a moment. */
const DATED = new Set(['Intent', 'Bid', 'Event', 'Order'])

const ONE = { limit: 1, after: undefined, before: undefined, fromEnd: false }

/** The field of `Query` that finds any object by its id; null for an unknown object or id. */
export const nodeQuery = {
  node: async ({ id }: { id: string }, context: GraphqlContext) => {
    const [, name = '', words = '', moment] = /^(\w+):([^@]*)(?:@(.*))?$/.exec(id) ?? []
    const type = Object.hasOwn(TYPES, name) ? TYPES[name] : undefined
    const asOf = moment === undefined ? null : blocksIn(moment)
    if (!type?.pattern.test(words) || asOf === undefined) return null
    if (asOf && !DATED.has(name)) return null
    const found = await type.find({ words: words.split(':'), asOf }, context)
    return found ? { ...found, __typename: name } : null
  },
}

/** `84532:120,2651420:7`; undefined for anything else. */
function blocksIn(moment: string): AsOfBlocks | undefined {
  if (!/^\d{1,15}:\d{1,15}(,\d{1,15}:\d{1,15}){0,19}$/.test(moment)) return undefined
  return moment.split(',').map((text) => {
    const [chainId = 0, block = 0] = text.split(':').map(Number)
    return { chainId, block }
  })
}

function pairOf([source, destination, tokenA, tokenB]: readonly string[]): Pair {
  return {
    sourceChainId: Number(source),
    destChainId: Number(destination),
    tokenA: tokenA as Hex,
    tokenB: tokenB as Hex,
  }
}

/** Throws BAD_USER_INPUT for an invalid day. */
function dayIn(text: string): number {
  return SCALARS.Date.parseValue(text) as number
}

/** Whether an event had happened at that moment. */
function isWithin(view: AsOfView | null, event: { chainId: number; blockNumber: number }): boolean {
  const cutoff = view?.asOf.cutoffs.get(event.chainId)
  return !cutoff || cutoff.blockNumber === null || event.blockNumber <= cutoff.blockNumber
}
