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

export type BidFilter = Choices<{ sourceChainId: number }> & {
  /** In base units of the intent's tokenB. */
  amountB?: Range<bigint> | undefined
  /** Unix seconds. */
  bidAt?: Range<number> | undefined
}

/** A solver's bids, by time, then intent and bid. The solver is required, because only its bids are indexed by time. */
export const SOLVER_BIDS = tableList(
  'bids',
  'bid',
  ['bidAt', 'sourceChainId', 'intentId', 'bidIndex'],
  ({ solver, filter }: { solver: Hex; filter: Filters<BidFilter> }) => {
    const condition = conditionSql(filter, (own: BidFilter) => [
      ...choicesSql('bid', ['sourceChainId'], own),
      ...within('bid.amount_b', own.amountB),
      ...within('bid.bid_at', own.bidAt),
    ])
    return sql`bid.solver = ${solver} and ${condition}`
  },
)
