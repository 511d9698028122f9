import { sql } from 'kysely'
import { getAddress } from 'viem'
import { toApiOrderId } from '../../../core/order/apiOrderId.ts'
import { deriveOrderStatus } from '../../../core/order/orderStatus.ts'
import { decideJournalLines } from '../../../core/push/decideJournalLines.ts'
import type { OrderPushData, OrderPushType } from '../../../core/push/pushEvent.ts'
import type { ChainEvent } from '../../../src/event/chainEvent.ts'
import type { OrderFacts } from '../../../src/order/orderFacts.ts'
import type { EventRow } from '../../../src/projection/rowTypes.ts'
import type { ChainHeads } from '../../store/chains/readChainStates.ts'
import { selectList } from '../../store/database/columnSql.ts'
import type { Db } from '../../store/database/openDatabase.ts'
import { loadOrders, type OrderKey, requestedOrders } from '../../store/orders/findOrder.ts'
import type { FollowedChain } from './followedChains.ts'
import {
  cutoffOf,
  isoTime,
  type JournalChange,
  logOf,
  type NewLine,
  readCurrentLines,
} from './journalLine.ts'

/** Only an order's latest tranches are examined: it may have millions. */
const MAX_TRANCHES = 1_000

type OrderFact = { key: string; type: OrderPushType; at: number; row: EventRow }

/**
 * The changes of these orders to the journal. A reorg gets no line of its own: a funding or tranche that is mined again
 * is recorded again, with its new block.
 */
export async function collectOrderJournalLines(
  db: Db,
  keys: readonly OrderKey[],
  chains: readonly FollowedChain[],
  heads: ChainHeads,
): Promise<JournalChange[]> {
  const orders = await loadOrders(db, keys)
  const events = await readOrderEvents(db, keys)
  const current = await readCurrentLines<OrderPushData>(
    db,
    sql`(line.chain_id, line.order_id) in (select * from ${requestedOrders(keys)})`,
    heads,
  )
  return keys.flatMap((key) => {
    const isSameOrder = (other: { chainId: number; orderId: string | null }) =>
      other.chainId === key.chainId && other.orderId === key.orderId
    const chain = chains.find(({ chainId }) => chainId === key.chainId)
    const order = orders.find(isSameOrder)
    if (!chain) return []
    const rows = events.filter(({ chainId, args }) =>
      isSameOrder({ chainId, orderId: args.orderId! }),
    )
    const facts = order ? rows.map((row) => factOf(row, order)) : []
    const { reverted, added } = decideJournalLines(
      facts,
      current.filter(isSameOrder),
      cutoffOf(chain),
    )
    return { reverted, lines: order ? added.map((fact) => lineOf(order, fact, chain)) : [] }
  })
}

function factOf(row: EventRow, order: OrderFacts): OrderFact {
  const type = typeOf(row, order)
  return {
    key: `${type}@${row.chainId}:${row.blockHash}:${row.logIndex}`,
    type,
    at: row.blockTimestamp,
    row,
  }
}

function typeOf({ type }: EventRow, order: OrderFacts): OrderPushType {
  if (type === 'OrderFunded') return 'order.created'
  if (type === 'TrancheFired') return 'order.tranche_fired'
  return order.closeReason === 'user_cancel' ? 'order.cancelled' : 'order.completed'
}

function lineOf(
  order: OrderFacts,
  { type, key, at, row }: OrderFact,
  chain: FollowedChain,
): NewLine {
  const intentId = type === 'order.tranche_fired' ? row.intentId : null
  return {
    type,
    key,
    at,
    chainId: row.chainId,
    blockNumber: row.blockNumber,
    blockHash: row.blockHash,
    finalBlock: row.blockNumber,
    logIndex: row.logIndex,
    sourceChainId: order.chainId,
    destChainId: order.destChainId,
    intentId: null,
    orderId: order.orderId,
    sender: order.owner,
    solver: null,
    data: {
      orderId: toApiOrderId(order.orderId),
      chainId: String(order.chainId),
      destChainId: String(order.destChainId),
      owner: getAddress(order.owner),
      status: deriveOrderStatus(order, chain.head.timestamp).status,
      intentId: intentId === null ? null : String(intentId),
      occurredAt: isoTime(at),
      chainEvent: logOf({ type: row.type, point: row } as Pick<ChainEvent, 'type' | 'point'>),
    },
  }
}

/** The vault's events of these orders, in chain order, found through their transactions. */
async function readOrderEvents(db: Db, keys: readonly OrderKey[]): Promise<EventRow[]> {
  if (keys.length === 0) return []
  const { rows } = await sql<EventRow>`
    select distinct ${sql.raw(selectList('event', 'event'))}
    from ${requestedOrders(keys)}
    join cairn.scheduled_order o on o.chain_id = requested.chain and o.order_id = requested.id
    cross join lateral (
      select o.fund_tx_hash as hash union select o.close_tx_hash
      union (select t.fired_tx_hash from cairn.tranche t
        where t.chain_id = o.chain_id and t.order_id = o.order_id
        order by t.tranche_index desc limit ${MAX_TRANCHES})) as sent
    join cairn.event as event on event.transaction_hash = sent.hash and event.chain_id = o.chain_id
      and event.type in ('OrderFunded', 'TrancheFired', 'OrderClosed')
      and event.args ->> 'orderId' = o.order_id`.execute(db)
  return rows.sort((a, b) => a.blockNumber - b.blockNumber || a.logIndex - b.logIndex)
}
