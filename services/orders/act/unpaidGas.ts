import { sql } from 'kysely'
import { size } from 'viem'
import type { OrderState } from '../../../core/order/orderState.ts'
import type { Db } from '../../store/database/database.ts'
import type { OrdersContext, ServedChain } from '../ordersContext.ts'
import { gasOfCalls } from './gasMinimum.ts'

/** Seconds for which it is remembered that an owner's orders brought nothing. */
const DAY = 86_400

/**
 * Whether the service goes on firing an owner's tranches: those of a day that came back have not taken more
 * gas than one owner gets for nothing. Neither an order that nobody would deliver nor one whose owner cancels
 * every tranche brings the fee that firing costs.
 */
export function mayFire(
  { settings }: Pick<OrdersContext, 'settings'>,
  { follower }: Pick<ServedChain, 'follower'>,
  { facts: { owner } }: OrderState,
): boolean {
  const followed = follower.latest()
  if (followed === null) return true
  const { book, head } = followed
  const orders = book.ofOwner(owner).flatMap((orderId) => book.find(orderId) ?? [])
  return gasOfEnded(orders, head.timestamp - DAY) <= settings.unpaidGas
}

/**
 * Whether the service pays for another funding of an owner. Whoever orders and cancels pays for no gas at all
 * and gets every token back: without a bound the account of the service could be emptied by it.
 *
 * @param db where the funding is then asked for, so that of several at once each counts
 * @param gas of the funding
 */
export async function mayFund(
  { settings }: Pick<OrdersContext, 'settings'>,
  { chainId, follower }: Pick<ServedChain, 'chainId' | 'follower'>,
  { db, owner, gas }: { db: Db; owner: string; gas: number },
): Promise<boolean> {
  await sql`select pg_advisory_xact_lock(hashtext(${`orders of ${owner}`}))`.execute(db)
  const { rows } = await sql<{ requested: number }>`
    select count(*)::integer as requested from app.transaction
    where kind = 'fundOrder' and chain_id = ${chainId}::bigint and payer = ${owner}
      and requested_at > now() - interval '24 hours'
      and (state not in ('failed', 'superseded') or tx_hash is not null)`.execute(db)
  const followed = follower.latest()
  const orders = (followed?.book.ofOwner(owner as never) ?? []).flatMap(
    (orderId) => followed?.book.find(orderId) ?? [],
  )
  const ended = gasOfEnded(orders, (followed?.head.timestamp ?? 0) - DAY)
  const requested = BigInt(((rows[0]?.requested ?? 0) + 1) * gas)
  return ended + requested <= settings.unpaidGas
}

/**
 * Gas of what ended without a fee, less that of what brought one: tranches that came back, and orders that were
 * closed before anything of them was delivered.
 *
 * @param since unix seconds of the chain
 */
export function gasOfEnded(orders: Iterable<OrderState>, since: number): bigint {
  let gas = 0
  for (const { facts, encrypted, tranches } of orders) {
    if (facts.updatedAt < since) continue
    const { fire, close } = gasOfCalls({ bytes: size(encrypted), quorum: facts.quorum })
    for (const { outcome, firedAt } of tranches) {
      if (outcome === 'open' || firedAt < since) continue
      gas += outcome === 'settled' ? -fire : fire
    }
    if (facts.tranchesCompleted === 0 && (facts.closedAt ?? 0) >= since) gas += close
  }
  return BigInt(gas)
}
