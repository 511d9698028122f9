import type { RawBuilder } from 'kysely'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import type { SolverDayRow } from '../../../src/projection/rowTypes.ts'
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

/** Filters rows of `cairn.solver_day`. Addresses in lower case. */
export type SolverDayFilter = Choices<{ solver: Hex; chainId: number; token: Hex }> & {
  /** Days since 1970-01-01 UTC. */
  day?: Range<number> | undefined
}

const DAYS = tableList('solverDays', 'solverDay', ['day', 'chainId', 'solver', 'token'])

export const { placeOf: solverDayPlace } = DAYS

export function listSolverDays(
  db: Db,
  filter: Filters<SolverDayFilter>,
  page: KeysetPage,
): Promise<readonly SolverDayRow[]> {
  return DAYS.read(db, passes(filter), page)
}

/** Counts the rows that pass a filter. */
export function countSolverDays(db: Db, filter: Filters<SolverDayFilter>): Promise<number> {
  return DAYS.count(db, passes(filter))
}

function passes(filters: Filters<SolverDayFilter>): RawBuilder<unknown> {
  return conditionSql(filters, (filter: SolverDayFilter) => [
    ...choicesSql('solver_day', ['solver', 'chainId', 'token'], filter),
    ...within('solver_day.day', filter.day),
  ])
}
