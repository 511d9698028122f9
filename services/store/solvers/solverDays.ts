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

/** Filters rows of `cairn.solver_day`. Addresses in lower case. */
export type SolverDayFilter = Choices<{ solver: Hex; chainId: number; token: Hex }> & {
  /** Days since 1970-01-01 UTC. */
  day?: Range<number> | undefined
}

/** Solvers' statistics by day and token. */
export const SOLVER_DAYS = tableList(
  'solverDays',
  'solverDay',
  ['day', 'chainId', 'solver', 'token'],
  (filters: Filters<SolverDayFilter>) =>
    conditionSql(filters, (filter: SolverDayFilter) => [
      ...choicesSql('solver_day', ['solver', 'chainId', 'token'], filter),
      ...within('solver_day.day', filter.day),
    ]),
)
