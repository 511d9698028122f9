import { evolveOrderState, type OrderState } from '../../../core/order/orderState.ts'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import type { ChainEvent } from '../../../src/event/chainEvent.ts'

/**
 * All orders of one chain, folded from its events. A book can be layered on another: it then holds what
 * has changed since, so that a reorg's events are dropped with it.
 */
export type OrderBook = {
  find(orderId: Hex): OrderState | null
  /** The order whose id begins as this one does: the API's ids are the first 128 bits. */
  findLike(orderId: Hex): OrderState | null
  /** The order whose tranche an intent is. */
  orderOf(intentId: bigint): Hex | null
  /** Ids of an owner's orders, the earliest first. */
  ofOwner(owner: Hex): readonly Hex[]
  all(): Iterable<OrderState>
  /** What the vault owes to owners by token, because the token refused a payment. */
  credits(): ReadonlyMap<Hex, bigint>
  /** How many orders there are. */
  size(): number
  /** Folds an event, in the chain's order; false when it isn't about orders. */
  take(event: ChainEvent): boolean
}

/** An empty book, or one on top of another. */
export function createOrderBook(below: OrderBook | null = null): OrderBook {
  const orders = new Map<Hex, OrderState>()
  const tranches = new Map<bigint, Hex>()
  const owners = new Map<Hex, Hex[]>()
  const begins = new Map<string, Hex>()
  const credits = new Map(below?.credits() ?? [])

  const find = (orderId: Hex) => orders.get(orderId) ?? below?.find(orderId) ?? null
  const orderOf = (intentId: bigint) => tranches.get(intentId) ?? below?.orderOf(intentId) ?? null

  function evolve(orderId: Hex | null, event: ChainEvent): boolean {
    const before = orderId === null ? null : find(orderId)
    if (orderId === null || (before === null && event.type !== 'OrderFunded')) return false
    const after = evolveOrderState(before, event)
    if (after === null || after === before) return false
    orders.set(orderId, after)
    return true
  }

  function addTo(owner: Hex, orderId: Hex): void {
    begins.set(beginningOf(orderId), orderId)
    const ids = owners.get(owner)
    if (ids === undefined) owners.set(owner, [orderId])
    else ids.push(orderId)
  }

  function credit(token: Hex, amount: bigint): true {
    credits.set(token, (credits.get(token) ?? 0n) + amount)
    return true
  }

  return {
    find,
    findLike(like) {
      const orderId = begins.get(beginningOf(like))
      return orderId === undefined ? (below?.findLike(like) ?? null) : find(orderId)
    },
    orderOf,
    ofOwner: (owner) => [...(below?.ofOwner(owner) ?? []), ...(owners.get(owner) ?? [])],
    *all() {
      for (const order of below?.all() ?? []) {
        if (!orders.has(order.facts.orderId)) yield order
      }
      yield* orders.values()
    },
    credits: () => credits,
    size: () => [...orders.keys()].filter((id) => !below?.find(id)).length + (below?.size() ?? 0),
    take(event) {
      switch (event.type) {
        case 'OrderFunded': {
          const { orderId, owner } = event.args
          if (find(orderId) === null) addTo(owner, orderId)
          return evolve(orderId, event)
        }
        case 'TrancheFired':
          tranches.set(event.args.intentId, event.args.orderId)
          return evolve(event.args.orderId, event)
        case 'OrderClosed':
          return evolve(event.args.orderId, event)
        case 'IntentSettled':
        case 'IntentCancelled':
        case 'IntentRefunded':
          return evolve(orderOf(event.args.intentId), event)
        case 'VaultCreditAdded':
          return credit(event.args.token, event.args.amount)
        case 'VaultCreditClaimed':
          return credit(event.args.token, -event.args.amount)
        default:
          return false
      }
    },
  }
}

/** The first 128 bits. */
function beginningOf(orderId: Hex): string {
  return orderId.slice(2, 34)
}
