import { type RawBuilder, sql } from 'kysely'
import type { OrderStatusWord } from '../../../core/order/orderStatus.ts'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import type { OrderFacts } from '../../../src/order/facts.ts'
import type { ChainHeads } from '../chains/chainHeads.ts'
import { decodeCursor, encodeCursor } from '../database/cursor.ts'
import type { Db } from '../database/database.ts'
import { type Choices, choicesSql, conditionSql, type Filters } from '../database/filterSql.ts'
import { inOrder, type KeysetColumn, type KeysetPage, keysetSql } from '../database/keyset.ts'
import { hasStatusSql, ORDER_COLUMNS } from './orderSql.ts'

/** What orders to list. Addresses in lower case. */
export type OrderFilter = Choices<{
  owner: Hex
  chainId: number
  destChainId: number
  tokenA: Hex
  tokenB: Hex
  status: OrderStatusWord
}>

const COLUMNS = ['owner', 'chainId', 'destChainId', 'tokenA', 'tokenB'] as const

/** The list's one order: by time of funding, then by id, then by chain. */
const PLACE: readonly KeysetColumn[] = [
  { sql: 'o.funded_at', type: 'bigint' },
  { sql: 'o.order_id', type: 'text' },
  { sql: 'o.chain_id', type: 'bigint' },
]

const LIST = 'orders'

/** A page of orders, by the clocks that the answer will show. One statement. */
export async function listOrders(
  db: Db,
  filter: Filters<OrderFilter>,
  heads: ChainHeads,
  page: KeysetPage,
): Promise<readonly OrderFacts[]> {
  const { rows } = await sql<OrderFacts>`select ${sql.raw(ORDER_COLUMNS)}
    from cairn.scheduled_order o ${keysetSql(PLACE, [passes(filter, heads)], page)}`.execute(db)
  return inOrder(rows, page)
}

/** How many orders pass. */
export async function countOrders(
  db: Db,
  filter: Filters<OrderFilter>,
  heads: ChainHeads,
): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from cairn.scheduled_order o where ${passes(filter, heads)}`.execute(
    db,
  )
  return Number(rows[0]?.count ?? 0)
}

/** An order's place in the list. */
export function orderCursor({ fundedAt, orderId, chainId }: OrderFacts): string {
  return encodeCursor(LIST, [fundedAt, orderId, chainId])
}

/** The place that a cursor names. Throws a CursorError for one of another list. */
export function orderPlace(cursor: string): string[] {
  return decodeCursor(LIST, ['integer', 'hex', 'integer'], cursor)
}

function passes(filters: Filters<OrderFilter>, heads: ChainHeads): RawBuilder<unknown> {
  return conditionSql(filters, (filter) => conditions(filter, heads))
}

function conditions(filter: OrderFilter, heads: ChainHeads): RawBuilder<unknown>[] {
  const { status, statusIn } = filter
  const ways = statusIn?.map((word) => hasStatusSql(word, heads))
  return [
    ...choicesSql('o', COLUMNS, filter),
    ...(ways === undefined ? [] : [sql`(${sql.join([sql`false`, ...ways], sql` or `)})`]),
    ...(status === undefined ? [] : [hasStatusSql(status, heads)]),
  ]
}
