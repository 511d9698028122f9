import { sql } from 'kysely'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import type { Delivery } from '../../../src/intent/intentFacts.ts'
import {
  type Choices,
  choicesSql,
  conditionSql,
  type Filters,
  within,
} from '../database/filterSql.ts'
import { type KeysetPage, tableList } from '../database/keysetPagination.ts'
import type { Db } from '../database/openDatabase.ts'
import type { Range } from '../intents/intentFilter.ts'

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

/** Ordered by time, then chain and id. */
const DELIVERIES = tableList(
  'deliveries',
  'delivery',
  ['solvedAt', 'destChainId', 'chain2IntentId'],
  ({ solver, filter }: { solver: Hex; filter: Filters<DeliveryFilter> }) => {
    const condition = conditionSql(filter, (own: DeliveryFilter) => [
      ...choicesSql('delivery', ['destChainId', 'sourceChainId', 'tokenB'], own),
      ...within('delivery.amount_b', own.amountB),
      ...within('delivery.solved_at', own.solvedAt),
    ])
    return sql`delivery.solver = ${solver} and ${condition}`
  },
)

export const { cursorOf: deliveryCursor, placeIn: deliveryPlace } = DELIVERIES

/** Lists a page of a solver's deliveries. The solver is required, because only its deliveries are indexed by time. */
export function listDeliveries(
  db: Db,
  solver: Hex,
  filter: Filters<DeliveryFilter>,
  page: KeysetPage,
): Promise<readonly Delivery[]> {
  return DELIVERIES.list(db, { solver, filter }, page)
}
