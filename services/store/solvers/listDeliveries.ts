import { sql } from 'kysely'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import type { Delivery } from '../../../src/intent/facts.ts'
import type { Db } from '../database/database.ts'
import {
  type Choices,
  choicesSql,
  conditionSql,
  type Filters,
  within,
} from '../database/filterSql.ts'
import { type KeysetPage, tableList } from '../database/keyset.ts'
import type { Range } from '../intents/intentFilter.ts'

/** Which deliveries of a solver. */
export type DeliveryFilter = Choices<{
  destChainId: number
  sourceChainId: number
  tokenB: Hex
}> & {
  /** In base units of tokenB. */
  amountB?: Range<bigint> | undefined
  /** Unix seconds. */
  solvedAt?: Range<number> | undefined
}

/** By time; of one time by chain and number. */
const DELIVERIES = tableList('deliveries', 'delivery', [
  'solvedAt',
  'destChainId',
  'chain2IntentId',
])

export const { cursorOf: deliveryCursor, placeOfCursor: deliveryPlace } = DELIVERIES

/** A page of a solver's deliveries. Without a solver there is no index in the order of time. */
export function listDeliveries(
  db: Db,
  solver: Hex,
  filter: Filters<DeliveryFilter>,
  page: KeysetPage,
): Promise<readonly Delivery[]> {
  const condition = conditionSql(filter, (own: DeliveryFilter) => [
    ...choicesSql('delivery', ['destChainId', 'sourceChainId', 'tokenB'], own),
    ...within('delivery.amount_b', own.amountB),
    ...within('delivery.solved_at', own.solvedAt),
  ])
  return DELIVERIES.read(db, sql`delivery.solver = ${solver} and ${condition}`, page)
}
