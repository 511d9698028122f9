import { type RawBuilder, sql } from 'kysely'
import type { OrderStatusWord } from '../../../core/order/orderStatus.ts'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import type { ChainHeads } from '../chains/readChainStates.ts'
import {
  byChainSql,
  type Choices,
  choicesSql,
  conditionSql,
  type Filters,
} from '../database/filterSql.ts'
import { tableList } from '../database/keysetPagination.ts'

/** Filters orders. Addresses in lower case. */
export type OrderFilter = Choices<{
  owner: Hex
  chainId: number
  destChainId: number
  tokenA: Hex
  tokenB: Hex
  status: OrderStatusWord
}>

const COLUMNS = ['owner', 'chainId', 'destChainId', 'tokenA', 'tokenB'] as const

/** The orders, by funding time, then id and chain. `heads` determine statuses. */
export const ORDERS = tableList(
  'orders',
  'scheduledOrder',
  ['fundedAt', 'orderId', 'chainId'],
  passes,
)

type OrdersAt = { filter: Filters<OrderFilter>; heads: ChainHeads }

function passes({ filter: filters, heads }: OrdersAt): RawBuilder<unknown> {
  return conditionSql(filters, (filter: OrderFilter) => {
    const { status, statusIn } = filter
    const anyStatus = statusIn?.map((one) => hasStatusSql(one, heads))
    return [
      ...choicesSql('scheduled_order', COLUMNS, filter),
      ...(anyStatus === undefined
        ? []
        : [sql`(${sql.join([sql`false`, ...anyStatus], sql` or `)})`]),
      ...(status === undefined ? [] : [hasStatusSql(status, heads)]),
    ]
  })
}

/** `deriveOrderStatus` as a condition at the heads' times. On a chain without a head nothing has ended by time. */
function hasStatusSql(status: OrderStatusWord, heads: ChainHeads): RawBuilder<unknown> {
  const clock = byChainSql('scheduled_order.chain_id', heads, ({ timestamp }) => timestamp)
  const isOver = `(remaining < amount_per_period or coalesce(end_time <= ${clock}, false))`
  switch (status) {
    case 'active':
      return sql.raw(`(closed_at is null and not ${isOver})`)
    case 'cancelled':
      return sql.raw(`close_reason = 'user_cancel'`)
    case 'completed':
      return sql.raw(
        `(close_reason in ('filled', 'end_time') or (closed_at is null and ${isOver}))`,
      )
  }
}
