import DataLoader from 'dataloader'
import type { AsOf } from '../../../services/store/asOf/asOf.ts'
import { loadIntentsAsOf } from '../../../services/store/asOf/loadAsOf.ts'
import type { Db } from '../../../services/store/database/database.ts'
import type { EventPlace } from '../../../services/store/events/listEvents.ts'
import { loadEvents } from '../../../services/store/events/loadEvents.ts'
import { loadIntents } from '../../../services/store/intents/findIntent.ts'
import { loadBids } from '../../../services/store/intents/loadBids.ts'
import type { IntentKey, StoredIntent } from '../../../services/store/intents/storedIntent.ts'
import { loadSolvers, type SolverDetail } from '../../../services/store/solvers/loadSolvers.ts'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import type { BidRow, EventRow } from '../../../src/projection/rows.ts'

/** Reads that the entries of a page ask for one by one, and that reach the database as one statement. */
export type Loaders = {
  intent: DataLoader<IntentKey, StoredIntent | null, string>
  /** The intent with the events of its timeline. */
  story: DataLoader<IntentKey, StoredIntent | null, string>
  solver: DataLoader<Hex, SolverDetail | null>
  /** Bids of an intent: `limit` of them after the index `after`. */
  bids(limit: number, after: number): DataLoader<IntentKey, BidRow[], string>
  /** Events of an intent: `limit` of them after a place. */
  events(limit: number, after: EventPlace | undefined): DataLoader<IntentKey, EventRow[], string>
}

/**
 * Loaders for one operation.
 *
 * @param asOf the moment at which to look; absent for now. Solvers' records are the present ones.
 * @param remember whether what was loaded may be given out again: not over a subscription's many events
 */
export function createLoaders(db: Db, remember: boolean, asOf?: AsOf): Loaders {
  const within = asOf?.horizons
  const load = (keys: readonly IntentKey[], withEvents: boolean) =>
    asOf ? loadIntentsAsOf(db, keys, asOf) : loadIntents(db, keys, { withEvents })
  const byIntent = <Row>(load: (keys: readonly IntentKey[]) => Promise<Row[]>) =>
    new DataLoader<IntentKey, Row, string>(load, { cacheKeyFn: keyOf, cache: remember })
  return {
    intent: byIntent(async (keys) => inOrderOf(keys, await load(keys, false))),
    story: byIntent(async (keys) => inOrderOf(keys, await load(keys, true))),
    solver: new DataLoader(
      async (addresses) => solversInOrder(addresses, await loadSolvers(db, addresses)),
      {
        cache: remember,
      },
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
