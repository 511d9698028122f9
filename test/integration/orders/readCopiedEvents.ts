import type { VaultChain } from '../../../services/orders/chain/vaultChain.ts'
import { loadOrderEvents } from '../../../services/orders/follow/orderEventStore.ts'
import type { Db } from '../../../services/store/database/openDatabase.ts'
import type { ChainEvent } from '../../../src/event/chainEvent.ts'

/** The order service's copy of a chain's events, with its cursor; null without one. */
export async function readCopiedEvents(db: Db, chain: VaultChain, page?: number) {
  const events: ChainEvent[] = []
  const cursor = await loadOrderEvents(db, chain, (event) => events.push(event), page)
  return cursor && { cursor, events }
}
