import { sql } from 'kysely'
import type { OrderState } from '../../../core/order/orderState.ts'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import type { Db } from '../../store/database/openDatabase.ts'
import { OrderError } from '../orderError.ts'

/**
 * What an order's owner submitted, encrypted.
 *
 * @throws OrderError `INDEX_NOT_READY` while the chain is read again
 */
export async function readCiphertext(db: Db, order: OrderState): Promise<Hex> {
  const found = await findCiphertext(db, order)
  if (found !== null) return found
  throw new OrderError('INDEX_NOT_READY', 'the chain’s orders are being read: try again')
}

/** The same; null while the chain is read again. If the order is over, only the copied events have it. */
export async function findCiphertext(
  db: Db,
  { facts, encrypted }: OrderState,
): Promise<Hex | null> {
  if (encrypted !== null) return encrypted
  const { chainId, fundedBlock, orderId } = facts
  const { rows } = await sql<{ found: Hex }>`select args ->> 'encrypted' as found from orders.event
    where chain_id = ${chainId} and block_number = ${fundedBlock} and type = 'OrderFunded'
      and args ->> 'orderId' = ${orderId}`.execute(db)
  return rows[0]?.found ?? null
}
