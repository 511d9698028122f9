import { sql } from 'kysely'
import { LRUCache } from 'lru-cache'
import type { OrderTerms } from '../../core/order/enclaveVaultMessages.ts'
import { findMessageExpiry } from '../../core/order/findOrderMessageProblem.ts'
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

/** An order that is refused for good: its owner places another, and a repetition of this one must not be funded as well. */
type RefusedOrder = { chainId: number; orderId: Hex; code: OrderErrorCode; until: number }

/**
 * Until when an order can be funded, in unix seconds of its chain; later, its refusal protects nobody. The vault accepts no
 * funding after the order's end, nor the enclaves' signatures after the expiry that its owner signed.
 */
export function findFundableUntil(
  message: string,
  { endTime }: Pick<OrderTerms, 'endTime'>,
): number {
  return Math.min(findMessageExpiry(message) ?? Number.POSITIVE_INFINITY, Number(endTime))
}

/** Seconds for which a refusal is kept longer: a reorg may set a chain's time back. */
const KEPT_LONGER = 3_600

/** Most refusals that are kept: wallets are free, and each can sign orders that can be funded until 2106. */
export const MAX_REFUSED = 1_000_000

/** Deleted with each that is added: more than one, so that the table shrinks. */
const DELETED_AT_ONCE = 10

/**
 * Records a refusal, and deletes some that are over. Its owner may have signed several messages for one order: the refusal of
 * the one that can be used the longest counts.
 *
 * @param clocks unix seconds by the order's chain and by our clock. The earlier counts: neither a node that invents a time
 *   nor a clock that is ahead ends a refusal that is needed
 */
export async function recordRefusal(
  db: Db,
  { chainId, orderId, code, until }: RefusedOrder,
  clocks: readonly [chain: number, own: number],
): Promise<void> {
  rememberedIn(db).set(orderId, code)
  await sql`
    insert into orders.refused (order_id, code, chain_id, fundable_until)
    values (${orderId}, ${code}, ${chainId}, ${until})
    on conflict (order_id) do update set fundable_until = excluded.fundable_until
      where refused.fundable_until < excluded.fundable_until`.execute(db)
  const overBefore = Math.min(...clocks) - KEPT_LONGER
  await sql`
    delete from orders.refused where order_id = any(
      array(select order_id from orders.refused
        where chain_id = ${chainId} and fundable_until < ${overBefore}
        order by fundable_until limit ${DELETED_AT_ONCE} for update skip locked)
      || array(select order_id from orders.refused
        where number <= (select max(number) from orders.refused) - ${MAX_REFUSED}
        order by number limit ${DELETED_AT_ONCE} for update skip locked))`.execute(db)
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
