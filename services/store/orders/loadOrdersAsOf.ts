import { sql } from 'kysely'
import type { Cutoffs } from '../../../core/intent/asOfCutoff.ts'
import { evolveOrder } from '../../../src/order/evolveOrder.ts'
import type { OrderFacts } from '../../../src/order/orderFacts.ts'
import { fromEventRow } from '../../../src/projection/eventRow.ts'
import { UNPREPARED, withinSql } from '../asOf/cutoffSql.ts'
import { jsonRow, reviveRow } from '../database/columnSql.ts'
import type { Db } from '../database/openDatabase.ts'
import { type OrderKey, requestedOrders } from './findOrder.ts'

/** Events that end a tranche. */
const ENDS = `'IntentSettled', 'IntentCancelled', 'IntentRefunded'`

/** Without the funding's ciphertext, which is long and not part of an order's facts. */
const ARGS = `case when e.type = 'OrderFunded'
  then e.args || jsonb_build_object('encrypted', '0x') else e.args end`

/**
 * Loads the orders with these keys in their state at the cutoffs, folded from their events, without those that weren't funded
 * yet. One statement.
 */
export async function loadOrdersAsOf(
  db: Db,
  keys: readonly OrderKey[],
  cutoffs: Cutoffs,
): Promise<OrderFacts[]> {
  if (keys.length === 0) return []
  const { rows } = await sql<{ events: unknown[] }>`${sql.raw(UNPREPARED)}
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
 * All events that change an order, for a row aliased `o`: its own by their transactions, its tranches' by their intents, so
 * that each uses an index.
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
