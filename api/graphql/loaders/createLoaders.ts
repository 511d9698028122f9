import DataLoader from 'dataloader'
import { loadIntentsAsOf } from '../../../services/store/asOf/loadIntentsAsOf.ts'
import type { AsOf } from '../../../services/store/asOf/resolveAsOf.ts'
import type { Db } from '../../../services/store/database/openDatabase.ts'
import type { EventPlace } from '../../../services/store/events/listEvents.ts'
import { loadEvents } from '../../../services/store/events/loadEvents.ts'
import { loadIntents } from '../../../services/store/intents/intentLookup.ts'
import { loadBids } from '../../../services/store/intents/loadBids.ts'
import {
  type IntentKey,
  intentName,
  type StoredIntent,
} from '../../../services/store/intents/storedIntent.ts'
import { loadOrders, type OrderKey } from '../../../services/store/orders/findOrder.ts'
import { loadOrdersAsOf } from '../../../services/store/orders/loadOrdersAsOf.ts'
import { loadTranches } from '../../../services/store/orders/loadTranches.ts'
import { loadSolvers, type SolverDetail } from '../../../services/store/solvers/listSolvers.ts'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import type { OrderFacts } from '../../../src/order/orderFacts.ts'
import type { BidRow, EventRow, TrancheRow } from '../../../src/projection/rowTypes.ts'

/** Loaders that batch the reads of a page's entries into one statement. */
export type Loaders = {
  intent: DataLoader<IntentKey, StoredIntent | null, string>
  /** The same with the events of its timeline. */
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
 * @param cache whether loaded objects may be reused: not for a subscription, whose events come over time
 * @param asOf the moment at which to read; absent for now. Solvers' records have no past.
 */
export function createLoaders(db: Db, cache: boolean, asOf?: AsOf): Loaders {
  const within = asOf?.cutoffs
  const load = (keys: readonly IntentKey[], withEvents: boolean) =>
    asOf ? loadIntentsAsOf(db, keys, asOf) : loadIntents(db, keys, { withEvents })
  const byIntent = loaderBy(intentName, cache)
  const byOrder = loaderBy(orderKeyOf, cache)
  const bySolver = loaderBy((address: Hex) => address, cache)
  const intentKeyOf = ({ source }: StoredIntent) => intentName(source)
  return {
    intent: byIntent.one((keys) => load(keys, false), intentKeyOf),
    timeline: byIntent.one((keys) => load(keys, true), intentKeyOf),
    solver: bySolver.one(
      (addresses) => loadSolvers(db, addresses),
      ({ solver }) => solver,
    ),
    order: byOrder.one(
      (keys) => (within ? loadOrdersAsOf(db, keys, within) : loadOrders(db, keys)),
      orderKeyOf,
    ),
    tranches: perArguments((limit, after) =>
      byOrder.many((keys) => loadTranches(db, keys, { limit, after, within }), orderKeyOf),
    ),
    bids: perArguments((limit, after) =>
      byIntent.many((keys) => loadBids(db, keys, { limit, after, within }), intentName),
    ),
    events: perArguments((limit, after) =>
      byIntent.many(
        (keys) => loadEvents(db, keys, { limit, after, within }),
        (event) => intentName(event as EventRow & IntentKey),
      ),
    ),
  }
}

/** Loaders by a kind of key: of one row per key, or of many. */
function loaderBy<Key>(nameOf: (key: Key) => string, cache: boolean) {
  type Load<Row> = (keys: readonly Key[]) => Promise<readonly Row[]>
  const many = <Row>(load: Load<Row>, rowName: (row: Row) => string) =>
    new DataLoader<Key, Row[], string>(
      async (keys) => {
        const found = Map.groupBy(await load(keys), rowName)
        return keys.map((key) => found.get(nameOf(key)) ?? [])
      },
      { cacheKeyFn: nameOf, cache },
    )
  const one = <Row>(load: Load<Row>, rowName: (row: Row) => string) =>
    new DataLoader<Key, Row | null, string>(
      async (keys) => {
        const found = new Map((await load(keys)).map((row) => [rowName(row), row]))
        return keys.map((key) => found.get(nameOf(key)) ?? null)
      },
      { cacheKeyFn: nameOf, cache },
    )
  return { one, many }
}

/** Creates one loader for each set of arguments, so that fields with the same arguments share a statement. */
function perArguments<Arguments extends unknown[], Loader>(
  create: (...args: Arguments) => Loader,
): (...args: Arguments) => Loader {
  const loaders = new Map<string, Loader>()
  return (...args) => {
    const key = JSON.stringify(args)
    const loader = loaders.get(key) ?? create(...args)
    loaders.set(key, loader)
    return loader
  }
}

function orderKeyOf({ chainId, orderId }: OrderKey): string {
  return `${chainId}:${orderId}`
}
