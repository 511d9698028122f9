import { evolveOrderState, type OrderState } from '../../../core/order/orderState.ts'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import type { ChainEvent } from '../../../src/event/chainEvent.ts'

/**
 * All orders of one chain, folded from its events. A book layered on another holds only later changes: dropping it drops
 * the events that a reorg may remove.
 */
export type FoldedOrders = {
  find(orderId: Hex): OrderState | null
  /** The order whose id has the same first 128 bits, which are the API's order id. */
  findByPrefix(orderId: Hex): OrderState | null
  /** The order of which the intent is a tranche. */
  orderOf(intentId: bigint): Hex | null
  /** Ids of an owner's orders, the earliest first. */
  ofOwner(owner: Hex): readonly Hex[]
  all(): Iterable<OrderState>
  /** What the vault owes to owners by token, because a payment failed. */
  credits(): ReadonlyMap<Hex, bigint>
  size(): number
  /** Folds an event, in chain order; false when it isn't about orders. */
  apply(event: ChainEvent): boolean
}

/** An empty book, or one on top of another. */
export function createFoldedOrders(below: FoldedOrders | null = null): FoldedOrders {
  const orders = new Map<Hex, OrderState>()
  const tranches = new Map<bigint, Hex>()
  const owners = new Map<Hex, Hex[]>()
  const byPrefix = new Map<string, Hex>()
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

  function addOrder(owner: Hex, orderId: Hex): void {
    byPrefix.set(prefixOf(orderId), orderId)
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
    findByPrefix(id) {
      const orderId = byPrefix.get(prefixOf(id))
      return orderId === undefined ? (below?.findByPrefix(id) ?? null) : find(orderId)
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
    apply(event) {
      switch (event.type) {
        case 'OrderFunded': {
          const { orderId, owner } = event.args
          if (find(orderId) === null) addOrder(owner, orderId)
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
function prefixOf(orderId: Hex): string {
  return orderId.slice(2, 34)
}
