import { sql } from 'kysely'
import type { OrderErrorCode } from '../../core/order/orderErrorCode.ts'
import type { Hex } from '../../src/event/bridgeEvent.ts'
import type { Db } from '../store/database/openDatabase.ts'
import { OrderError } from './orderError.ts'

export async function recordRefusal(db: Db, orderId: Hex, { code }: OrderError): Promise<void> {
  await sql`
    insert into orders.refused (order_id, code) values (${orderId}, ${code})
    on conflict do nothing`.execute(db)
}

/** The error for an order that was refused before; null for any other. */
export async function findRecordedRefusal(db: Db, orderId: Hex): Promise<OrderError | null> {
  const { rows } = await sql<{ code: OrderErrorCode }>`
    select code from orders.refused where order_id = ${orderId}`.execute(db)
  const [row] = rows
  if (row === undefined) return null
  const message = 'this order was refused before and stays refused: encrypt and sign it again'
  return new OrderError(row.code, message, { reason: 'refused_before' })
}
