import { sql } from 'kysely'
import { size } from 'viem'
import type { OrderState } from '../../../core/order/orderState.ts'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import { findTransaction } from '../../chain/transactions/findTransaction.ts'
import type { Transaction } from '../../chain/transactions/transaction.ts'
import type { Db } from '../../store/database/database.ts'
import type { OrdersContext, ServedChain } from '../ordersContext.ts'
import { gasOfCalls } from './gasMinimum.ts'
import { effectOf, requestEffect, type WantedEffect } from './requestEffect.ts'

/** Seconds after which an owner may have as much for nothing again. */
const DAY = 86_400

/** A call that the service pays for, and whose order it is about. */
export type UnpaidCall = WantedEffect & {
  kind: 'fundOrder' | 'fireTranche'
  payer: Hex
  /** What it takes. */
  gas: number
}

/** What the service pays an owner's gas by. */
type Payer = Pick<OrdersContext, 'db' | 'settings'>

/**
 * Asks for a call if the service pays for another of this owner's; null when it doesn't. Whoever orders and
 * cancels pays for no gas at all and gets every token back: without a bound the account of the service could be
 * emptied by it. Of several at once each counts.
 */
export function requestUnpaid(
  context: OrdersContext,
  chain: ServedChain,
  { gas, ...wanted }: UnpaidCall,
): Promise<Transaction | null> {
  const { kind, effect, payer: owner } = wanted
  return context.db.transaction().execute(async (db) => {
    await sql`select pg_advisory_xact_lock(hashtext(${`orders of ${owner}`}))`.execute(db)
    const known = await findTransaction(db, { kind, chainId: chain.chainId, effect })
    const mayAsk = kind === 'fundOrder' ? mayFund : mayFire
    const isPaid = known !== null || (await mayAsk({ ...context, db }, chain, owner, gas))
    return isPaid ? requestEffect({ ...context, db }, chain, wanted) : null
  })
}

/**
 * Whether the service fires another tranche of an owner's: those of a day that brought no fee take no more gas
 * than one owner gets for nothing and its record stands for, this one included. Neither an order that nobody would
 * deliver nor one whose owner cancels every tranche brings the fee that firing costs; whether one under way will
 * isn't known yet.
 *
 * @param gas of the tranche
 */
export async function mayFire(
  { db, settings }: Payer,
  chain: ServedChain,
  owner: Hex,
  gas: number,
): Promise<boolean> {
  const { orders, since } = ordersOf(chain, owner)
  const requested = BigInt(await gasOfRequested(db, chain, owner, orders))
  return gasOfUnpaid(orders, since) + requested + BigInt(gas) <= settings.unpaidGas
}

/** Whether the service pays for another funding of an owner's. */
async function mayFund(
  { db, settings }: Payer,
  chain: ServedChain,
  owner: Hex,
  gas: number,
): Promise<boolean> {
  const { rows } = await sql<{ requested: number }>`
    select count(*)::integer as requested from app.transaction
    where kind = 'fundOrder' and chain_id = ${chain.chainId}::bigint and payer = ${owner}
      and requested_at > now() - interval '24 hours'
      and (state not in ('failed', 'superseded') or tx_hash is not null)`.execute(db)
  const { orders, since } = ordersOf(chain, owner)
  const requested = BigInt(((rows[0]?.requested ?? 0) + 1) * gas)
  return gasOfUnpaid(orders, since) + requested <= settings.unpaidGas
}

/** An owner's orders on a chain, and when the day began that counts there. */
function ordersOf({ follower }: ServedChain, owner: Hex): { orders: OrderState[]; since: number } {
  const followed = follower.latest()
  if (followed === null) return { orders: [], since: 0 }
  const { book, head } = followed
  const orders = book.ofOwner(owner).flatMap((orderId) => book.find(orderId) ?? [])
  return { orders, since: head.timestamp - DAY }
}

/** Gas of an owner's tranches that were asked for and that the chain doesn't show yet. */
async function gasOfRequested(
  db: Db,
  { chainId }: ServedChain,
  owner: Hex,
  orders: readonly OrderState[],
): Promise<number> {
  const { rows } = await sql<{ effect: string }>`
    select effect from app.transaction
    where kind = 'fireTranche' and chain_id = ${chainId}::bigint and payer = ${owner}
      and requested_at > now() - interval '24 hours'
      and state not in ('failed', 'superseded')`.execute(db)
  const requested = new Set(rows.map(({ effect }) => effect))
  return orders
    .filter(({ facts, tranches }) =>
      requested.has(effectOf('fireTranche', facts.orderId, tranches.length)),
    )
    .reduce((gas, order) => gas + gasOfTranches(order), 0)
}

/** Gas of firing each of an order's tranches. */
export function gasOfTranches({ facts, encrypted }: OrderState): number {
  return gasOfCalls({ bytes: size(encrypted), quorum: facts.quorum }).fire
}

/**
 * Gas that brought no fee within a day, less what an owner's record stands for. Without a fee are tranches that came
 * back or are under way, and orders that were closed before anything of them was delivered. The record is what was
 * ever delivered, less what came to nothing before the day: an owner who has long brought fees may have many tranches
 * under way, and spends no part of its record twice.
 *
 * @param since unix seconds of the chain at which the day began
 */
export function gasOfUnpaid(orders: Iterable<OrderState>, since: number): bigint {
  let [unpaid, record] = [0, 0]
  const count = (gas: number, at: number) => {
    if (at >= since) unpaid += gas
    else record -= gas
  }
  for (const { facts, encrypted, tranches } of orders) {
    const { fire, close } = gasOfCalls({ bytes: size(encrypted), quorum: facts.quorum })
    for (const { outcome, firedAt } of tranches) {
      if (outcome === 'settled') record += fire
      else count(fire, firedAt)
    }
    if (facts.tranchesCompleted === 0 && facts.closedAt !== null) count(close, facts.closedAt)
  }
  return BigInt(unpaid - Math.max(0, record))
}
