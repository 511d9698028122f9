import { sql } from 'kysely'
import { LRUCache } from 'lru-cache'
import type { OrderErrorCode } from '../../core/order/orderErrorCode.ts'
import type { Hex } from '../../src/event/bridgeEvent.ts'
import type { Db } from '../store/database/openDatabase.ts'
import { OrderError } from './orderError.ts'

/**
 * Refusals remembered beside the database, so that deleting a row doesn't make an order acceptable again. By database,
 * because tests have several.
 */
const REMEMBERED = new WeakMap<Db, LRUCache<Hex, OrderErrorCode>>()
const MAX_REMEMBERED = 50_000

function rememberedIn(db: Db): LRUCache<Hex, OrderErrorCode> {
  const known = REMEMBERED.get(db) ?? new LRUCache<Hex, OrderErrorCode>({ max: MAX_REMEMBERED })
  REMEMBERED.set(db, known)
  return known
}

export async function recordRefusal(db: Db, orderId: Hex, { code }: OrderError): Promise<void> {
  rememberedIn(db).set(orderId, code)
  await sql`
    insert into orders.refused (order_id, code) values (${orderId}, ${code})
    on conflict do nothing`.execute(db)
}

/** The error for an order that was refused before; null for any other. */
export async function findRecordedRefusal(db: Db, orderId: Hex): Promise<OrderError | null> {
  const { rows } = await sql<{ code: OrderErrorCode }>`
    select code from orders.refused where order_id = ${orderId}`.execute(db)
  const code = rows[0]?.code ?? rememberedIn(db).get(orderId)
  if (code === undefined) return null
  const message = 'this order was refused before and stays refused: encrypt and sign it again'
  return new OrderError(code, message, { reason: 'refused_before' })
}
