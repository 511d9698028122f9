import { sql } from 'kysely'
import type { Cutoffs } from '../../../core/intent/asOfCutoff.ts'
import { evolveOrder } from '../../../src/order/evolveOrder.ts'
import type { OrderFacts } from '../../../src/order/facts.ts'
import { fromEventRow } from '../../../src/projection/eventRow.ts'
import { ASKED_ONCE, withinSql } from '../asOf/cutoffSql.ts'
import { jsonRow, reviveRow } from '../database/columns.ts'
import type { Db } from '../database/database.ts'
import { type OrderKey, requestedOrders } from './findOrder.ts'

/** How tranches end. */
const ENDS = `'IntentSettled', 'IntentCancelled', 'IntentRefunded'`

/**
 * Only the funding's terms are read: the ciphertext is long, and an order's facts don't contain it.
 */
const ARGS = `case when e.type = 'OrderFunded'
  then e.args || jsonb_build_object('encrypted', '0x') else e.args end`

/**
 * The orders with these keys as they stood, folded with the one reducer from their events; those that weren't
 * funded yet are left out. One statement.
 */
export async function loadOrdersAsOf(
  db: Db,
  keys: readonly OrderKey[],
  cutoffs: Cutoffs,
): Promise<OrderFacts[]> {
  if (keys.length === 0) return []
  const { rows } = await sql<{ events: unknown[] }>`${sql.raw(ASKED_ONCE)}
    select coalesce((select json_agg(${sql.raw(jsonRow('event', 'e', { args: ARGS }))}
        order by e.block_number, e.log_index) from (${sql.raw(HISTORY)}) e
      where ${sql.raw(withinSql('event', 'e', cutoffs))}), '[]') as events
    from ${requestedOrders(keys)}
    join cairn.scheduled_order o on o.chain_id = requested.chain and o.order_id = requested.id`.execute(
    db,
  )
  return rows.flatMap(({ events }) => {
    const known = events.map((event) => fromEventRow(reviveRow('event', event), '0x'))
    return known.reduce<OrderFacts | null>(evolveOrder, null) ?? []
  })
}

/**
 * Everything that moves an order, for a row aliased `o`. Its own events are found by their transactions, those
 * of its tranches by their intents: each by an index.
 */
const HISTORY = `
  select e.* from cairn.event e
    where e.transaction_hash = any(array[o.fund_tx_hash, o.close_tx_hash]) and e.chain_id = o.chain_id
      and e.type in ('OrderFunded', 'OrderClosed') and e.args ->> 'orderId' = o.order_id
  union all
  select e.* from cairn.tranche t
    join cairn.event e on e.source_chain_id = t.chain_id and e.intent_id = t.intent_id
      and e.chain_id = t.chain_id and e.type in ('TrancheFired', ${ENDS})
    where t.chain_id = o.chain_id and t.order_id = o.order_id`
