import { evolveOrderState, type OrderState } from '../../../core/order/orderState.ts'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import type { ChainEvent } from '../../../src/event/chainEvent.ts'
import { addToTotals, NO_TOTALS, type OrderTotals } from './orderTotals.ts'

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
  /** Some of all orders, by when they were funded. */
  page(from: number, count: number): OrderState[]
  /** Those that may change, or that changed in this layer. The others need no work. */
  open(): Iterable<OrderState>
  /**
   * All other orders, in the order in which they ended. A list only grows: if one of its orders changes after all, another
   * list replaces it. Null if one changed in this layer.
   */
  ended(): readonly OrderState[] | null
  totals(): OrderTotals
  /** Unspent amounts by token. */
  left(): ReadonlyMap<Hex, bigint>
  /** What the vault owes to owners by token, because a payment failed. */
  credits(): ReadonlyMap<Hex, bigint>
  size(): number
  /** Folds an event, in chain order; false when it isn't about orders. */
  apply(event: ChainEvent): boolean
}

/** An empty book, or one on top of another. */
export function createFoldedOrders(below: FoldedOrders | null = null): FoldedOrders {
  const orders = new Map<Hex, OrderState>()
  /** In the lowest layer, those that aren't over. */
  const open = below === null ? new Map<Hex, OrderState>() : orders
  const ids: Hex[] = []
  const tranches = new Map<bigint, Hex>()
  const owners = new Map<Hex, Hex[]>()
  const byPrefix = new Map<string, Hex>()
  const left = new Map(below?.left() ?? [])
  const credits = new Map(below?.credits() ?? [])
  let ended: OrderState[] | null = below === null ? [] : null
  let hasReopened = false
  let totals = below?.totals() ?? NO_TOTALS

  const find = (orderId: Hex) => orders.get(orderId) ?? below?.find(orderId) ?? null
  const orderOf = (intentId: bigint) => tranches.get(intentId) ?? below?.orderOf(intentId) ?? null
  const size = () => ids.length + (below?.size() ?? 0)

  function evolve(orderId: Hex | null, event: ChainEvent): boolean {
    const before = orderId === null ? null : find(orderId)
    if (orderId === null || (before === null && event.type !== 'OrderFunded')) return false
    const after = evolveOrderState(before, event)
    if (after === null || after === before) return false
    keep(orderId, before, after)
    totals = addToTotals(totals, before, after)
    const { tokenA, remaining } = after.facts
    left.set(tokenA, (left.get(tokenA) ?? 0n) + remaining - (before?.facts.remaining ?? 0n))
    return true
  }

  function keep(orderId: Hex, before: OrderState | null, state: OrderState): void {
    const after = ended !== null && isOver(state) ? { ...state, encrypted: null } : state
    orders.set(orderId, after)
    if (ended === null) {
      const final = below?.find(orderId) ?? null
      hasReopened ||= final !== null && isOver(final)
      return
    }
    if (before !== null && isOver(before)) ended = ended.filter((one) => one !== before)
    if (isOver(after)) {
      ended.push(after)
      open.delete(orderId)
    } else open.set(orderId, after)
  }

  function addOrder(owner: Hex, orderId: Hex): void {
    byPrefix.set(prefixOf(orderId), orderId)
    ids.push(orderId)
    const own = owners.get(owner)
    if (own === undefined) owners.set(owner, [orderId])
    else own.push(orderId)
  }

  function credit(token: Hex, amount: bigint): true {
    credits.set(token, (credits.get(token) ?? 0n) + amount)
    return true
  }

  return {
    find,
    findByPrefix(id) {
      const orderId = byPrefix.get(prefixOf(id)) ?? below?.findByPrefix(id)?.facts.orderId
      // The layer below doesn't know what has changed since.
      return orderId === undefined ? null : find(orderId)
    },
    orderOf,
    ofOwner: (owner) => [...(below?.ofOwner(owner) ?? []), ...(owners.get(owner) ?? [])],
    all: () => merge(below?.all(), orders),
    page(from, count) {
      const lower = below?.size() ?? 0
      const found = from < lower ? below!.page(from, count).map(({ facts }) => facts.orderId) : []
      const own = ids.slice(Math.max(0, from - lower), Math.max(0, from + count - lower))
      return [...found, ...own].map((orderId) => find(orderId) as OrderState)
    },
    open: () => merge(below?.open(), open),
    ended: () => (hasReopened ? null : (ended ?? below?.ended() ?? null)),
    totals: () => totals,
    left: () => left,
    credits: () => credits,
    size,
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

/** Nothing is left to fire or return, and no tranche is under way. */
function isOver({ facts, tranches }: OrderState): boolean {
  const isSpent = facts.closeReason !== null || facts.remaining === 0n
  return isSpent && tranches.every(({ outcome }) => outcome !== 'open')
}

/** Orders of a layer, after those below that it didn't change. */
function* merge(
  below: Iterable<OrderState> | undefined,
  own: ReadonlyMap<Hex, OrderState>,
): Iterable<OrderState> {
  for (const order of below ?? []) {
    if (!own.has(order.facts.orderId)) yield order
  }
  yield* own.values()
}

/** The first 128 bits. */
function prefixOf(orderId: Hex): string {
  return orderId.slice(2, 34)
}
