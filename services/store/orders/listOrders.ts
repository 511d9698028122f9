import { type RawBuilder, sql } from 'kysely'
import type { OrderStatusWord } from '../../../core/order/orderStatus.ts'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import type { OrderFacts } from '../../../src/order/facts.ts'
import type { ChainHeads } from '../chains/chainHeads.ts'
import { decodeCursor, encodeCursor } from '../database/cursor.ts'
import type { Db } from '../database/database.ts'
import { anyOf, conditionSql, equals, type Filters } from '../database/filterSql.ts'
import { inOrder, type KeysetColumn, type KeysetPage, keysetSql } from '../database/keyset.ts'
import { hasStatusSql, ORDER_COLUMNS } from './orderSql.ts'

/** What orders to list; absent fields don't restrict. Addresses in lower case. */
export type OrderFilter = {
  owner?: Hex | undefined
  chainId?: number | undefined
  destChainId?: number | undefined
  tokenA?: Hex | undefined
  tokenB?: Hex | undefined
  status?: OrderStatusWord | undefined
  /** Any of these; an empty list matches nothing. The same for the other lists. */
  ownerIn?: readonly Hex[] | undefined
  statusIn?: readonly OrderStatusWord[] | undefined
  chainIdIn?: readonly number[] | undefined
  destChainIdIn?: readonly number[] | undefined
  tokenAIn?: readonly Hex[] | undefined
  tokenBIn?: readonly Hex[] | undefined
}

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
    ...anyOf('o.owner', filter.ownerIn),
    ...anyOf('o.chain_id', filter.chainIdIn),
    ...anyOf('o.dest_chain_id', filter.destChainIdIn),
    ...anyOf('o.token_a', filter.tokenAIn),
    ...anyOf('o.token_b', filter.tokenBIn),
    ...(ways === undefined ? [] : [sql`(${sql.join([sql`false`, ...ways], sql` or `)})`]),
    ...equals('o.owner', filter.owner),
    ...equals('o.chain_id', filter.chainId),
    ...equals('o.dest_chain_id', filter.destChainId),
    ...equals('o.token_a', filter.tokenA),
    ...equals('o.token_b', filter.tokenB),
    ...(status === undefined ? [] : [hasStatusSql(status, heads)]),
  ]
}
