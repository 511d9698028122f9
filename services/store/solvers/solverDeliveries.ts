import { sql } from 'kysely'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import {
  type Choices,
  choicesSql,
  conditionSql,
  type Filters,
  within,
} from '../database/filterSql.ts'
import { tableList } from '../database/keysetPagination.ts'
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

/** A solver's deliveries, by time, then chain and id. The solver is required, because only its deliveries are indexed by time. */
export const SOLVER_DELIVERIES = tableList(
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
