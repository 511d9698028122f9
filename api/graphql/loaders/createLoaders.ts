import DataLoader from 'dataloader'
import { loadIntentsAsOf } from '../../../services/store/asOf/loadIntentsAsOf.ts'
import type { AsOf } from '../../../services/store/asOf/resolveAsOf.ts'
import type { Db } from '../../../services/store/database/database.ts'
import type { EventPlace } from '../../../services/store/events/listEvents.ts'
import { loadEvents } from '../../../services/store/events/loadEvents.ts'
import { loadIntents } from '../../../services/store/intents/findIntent.ts'
import { loadBids } from '../../../services/store/intents/loadBids.ts'
import type { IntentKey, StoredIntent } from '../../../services/store/intents/storedIntent.ts'
import { loadOrders, type OrderKey } from '../../../services/store/orders/findOrder.ts'
import { loadOrdersAsOf } from '../../../services/store/orders/loadOrdersAsOf.ts'
import { loadTranches } from '../../../services/store/orders/loadTranches.ts'
import { loadSolvers, type SolverDetail } from '../../../services/store/solvers/listSolvers.ts'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import type { OrderFacts } from '../../../src/order/facts.ts'
import type { BidRow, EventRow, TrancheRow } from '../../../src/projection/rows.ts'

/** Reads that the entries of a page ask for one by one, and that reach the database as one statement. */
export type Loaders = {
  intent: DataLoader<IntentKey, StoredIntent | null, string>
  /** The intent with the events of its timeline. */
  timeline: DataLoader<IntentKey, StoredIntent | null, string>
  solver: DataLoader<Hex, SolverDetail | null>
  order: DataLoader<OrderKey, OrderFacts | null, string>
  /** Tranches of an order: `limit` of them after the number `after`. */
  tranches(limit: number, after: number): DataLoader<OrderKey, TrancheRow[], string>
  /** Bids of an intent: `limit` of them after the index `after`. */
  bids(limit: number, after: number): DataLoader<IntentKey, BidRow[], string>
  /** Events of an intent: `limit` of them after a place. */
  events(limit: number, after: EventPlace | undefined): DataLoader<IntentKey, EventRow[], string>
}

/**
 * Loaders for one operation.
 *
 * @param asOf the moment at which to look; absent for now. Solvers' records are the present ones.
 * @param remember whether loaded objects may be reused: not over a subscription's many events
 */
export function createLoaders(db: Db, remember: boolean, asOf?: AsOf): Loaders {
  const within = asOf?.cutoffs
  const load = (keys: readonly IntentKey[], withEvents: boolean) =>
    asOf ? loadIntentsAsOf(db, keys, asOf) : loadIntents(db, keys, { withEvents })
  const byIntent = <Row>(load: (keys: readonly IntentKey[]) => Promise<Row[]>) =>
    new DataLoader<IntentKey, Row, string>(load, { cacheKeyFn: keyOf, cache: remember })
  const byOrder = <Found>(load: (keys: readonly OrderKey[]) => Promise<Found[]>) =>
    new DataLoader<OrderKey, Found, string>(load, { cacheKeyFn: orderKeyOf, cache: remember })
  return {
    intent: byIntent(async (keys) => inOrderOf(keys, await load(keys, false))),
    timeline: byIntent(async (keys) => inOrderOf(keys, await load(keys, true))),
    solver: new DataLoader(
      async (addresses) => solversInOrder(addresses, await loadSolvers(db, addresses)),
      {
        cache: remember,
      },
    ),
    order: byOrder(async (keys) => {
      const found = await (within ? loadOrdersAsOf(db, keys, within) : loadOrders(db, keys))
      const byKey = new Map(found.map((order) => [orderKeyOf(order), order]))
      return keys.map((key) => byKey.get(orderKeyOf(key)) ?? null)
    }),
    tranches: oneFor((limit, after) =>
      byOrder(async (keys) => {
        const rows = await loadTranches(db, keys, { limit, after, within })
        const byKey = Map.groupBy(rows, orderKeyOf)
        return keys.map((key) => byKey.get(orderKeyOf(key)) ?? [])
      }),
    ),
    bids: oneFor((limit, after) =>
      byIntent(async (keys) => grouped(keys, await loadBids(db, keys, { limit, after, within }))),
    ),
    events: oneFor((limit, after) =>
      byIntent(async (keys) => grouped(keys, await loadEvents(db, keys, { limit, after, within }))),
    ),
  }
}

/** One loader for all fields with the same arguments: they share a statement. */
function oneFor<Arguments extends unknown[], Loader>(
  create: (...args: Arguments) => Loader,
): (...args: Arguments) => Loader {
  const made = new Map<string, Loader>()
  return (...args) => {
    const name = JSON.stringify(args)
    const loader = made.get(name) ?? create(...args)
    made.set(name, loader)
    return loader
  }
}

/** Names an intent in a map. */
export function keyOf({ sourceChainId, intentId }: IntentKey): string {
  return `${sourceChainId}:${intentId}`
}

function orderKeyOf({ chainId, orderId }: OrderKey): string {
  return `${chainId}:${orderId}`
}

function inOrderOf(keys: readonly IntentKey[], found: StoredIntent[]): (StoredIntent | null)[] {
  const byKey = new Map(found.map((intent) => [keyOf(intent.source), intent]))
  return keys.map((key) => byKey.get(keyOf(key)) ?? null)
}

function solversInOrder(addresses: readonly Hex[], found: SolverDetail[]) {
  const byAddress = new Map(found.map((detail) => [detail.solver, detail]))
  return addresses.map((address) => byAddress.get(address) ?? null)
}

function grouped<Row extends { sourceChainId: number | null; intentId: bigint | null }>(
  keys: readonly IntentKey[],
  rows: Row[],
): Row[][] {
  const byKey = new Map<string, Row[]>()
  for (const row of rows) {
    const key = keyOf(row as IntentKey)
    const group = byKey.get(key)
    if (group) group.push(row)
    else byKey.set(key, [row])
  }
  return keys.map((key) => byKey.get(keyOf(key)) ?? [])
}
