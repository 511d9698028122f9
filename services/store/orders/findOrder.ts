import { sql } from 'kysely'
import type { OrderIdRange } from '../../../core/order/apiOrderId.ts'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import type { OrderFacts } from '../../../src/order/orderFacts.ts'
import { selectList } from '../database/columnSql.ts'
import type { Db } from '../database/openDatabase.ts'

const ORDER_COLUMNS = sql.raw(selectList('scheduledOrder', 'o'))

export type OrderKey = { chainId: number; orderId: Hex }

/** Several orders have the id, and the caller named no chain. */
export class AmbiguousOrderError extends Error {
  override name = 'AmbiguousOrderError'
  readonly candidates: readonly OrderKey[]

  constructor(candidates: readonly OrderKey[]) {
    super('several orders have this id')
    this.candidates = candidates
  }
}

/**
 * Finds the order with an id; null if no ready chain has it. An order submitted on two chains has the same id on both, hence
 * `chainId`.
 *
 * @throws AmbiguousOrderError
 */
export async function findOrder(
  db: Db,
  { from, to }: OrderIdRange,
  chainId?: number,
): Promise<OrderFacts | null> {
  const { rows } = await sql<OrderFacts>`select ${ORDER_COLUMNS} from cairn.scheduled_order o
    where o.order_id >= ${from} and o.order_id <= ${to} order by o.chain_id, o.order_id limit 20`.execute(
    db,
  )
  const matches = rows.filter((order) => chainId === undefined || order.chainId === chainId)
  if (matches.length > 1) throw new AmbiguousOrderError(matches.map(keyOf))
  return matches[0] ?? null
}

/** Loads the orders with these keys, in no particular order, without absent ones. */
export async function loadOrders(db: Db, keys: readonly OrderKey[]): Promise<OrderFacts[]> {
  if (keys.length === 0) return []
  const { rows } = await sql<OrderFacts>`select ${ORDER_COLUMNS} from ${requestedOrders(keys)}
    join cairn.scheduled_order o on o.chain_id = requested.chain and o.order_id = requested.id`.execute(
    db,
  )
  return rows
}

/** The distinct keys as a relation `requested (chain, id)`. */
export function requestedOrders(keys: readonly OrderKey[]) {
  const chains = keys.map(({ chainId }) => chainId)
  const ids = keys.map(({ orderId }) => orderId)
  return sql`(select distinct * from unnest(${chains}::bigint[], ${ids}::text[]) as requested (chain, id)) as requested`
}

function keyOf({ chainId, orderId }: OrderKey): OrderKey {
  return { chainId, orderId }
}
