import { type RawBuilder, sql } from 'kysely'
import type { OrderStatusWord } from '../../../core/order/orderStatus.ts'
import type { ChainHeads } from '../chains/chainHeads.ts'
import { selectList } from '../database/columns.ts'

/** Every column of a row aliased `o`, by its TypeScript name. */
export const ORDER_COLUMNS = selectList('scheduledOrder', 'o')

/**
 * `orderStatus` as a condition on a row aliased `o`, by the given heads' times: our own numbers, never
 * input. A chain without a clock has no time.
 */
export function hasStatusSql(status: OrderStatusWord, heads: ChainHeads): RawBuilder<unknown> {
  const isOver = `(o.remaining < o.amount_per_period or coalesce(o.end_time <= ${clockSql(heads)}, false))`
  switch (status) {
    case 'active':
      return sql.raw(`(o.closed_at is null and not ${isOver})`)
    case 'cancelled':
      return sql.raw(`o.close_reason = 'user_cancel'`)
    case 'completed':
      return sql.raw(
        `(o.close_reason in ('filled', 'end_time') or (o.closed_at is null and ${isOver}))`,
      )
  }
}

/** Time on the row's chain, in unix seconds; null for a chain without a head. */
function clockSql(heads: ChainHeads): string {
  if (heads.size === 0) return 'null::bigint'
  const cases = [...heads].map(
    ([id, { timestamp }]) => `when ${BigInt(id)} then ${BigInt(timestamp)}`,
  )
  return `(case o.chain_id ${cases.join(' ')} end)`
}
