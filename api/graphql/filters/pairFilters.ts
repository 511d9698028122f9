import type { Filter } from '../../../services/store/database/filterSql.ts'
import type { RouteFilter } from '../../../services/store/pairs/listRoutes.ts'
import type {
  PairDayFilter,
  PairFilter,
  PairHourFilter,
} from '../../../services/store/pairs/pairFilter.ts'
import type { SolverDayFilter } from '../../../services/store/solvers/listSolverDays.ts'
import type { Where } from './disjointFilters.ts'
import { plainFilters } from './plainFilters.ts'
import { type Comparison, rangeOf } from './rangeOf.ts'

type Nullable<Fields> = { [Name in keyof Fields]?: Fields[Name] | null }
type WithDay<Filter> = Nullable<Omit<Filter, 'day'>> & { day?: Comparison<number> | null }

/** The input types `PairFilter`, `RouteFilter`, `PairDayFilter`, `PairHourFilter`, `SolverDayFilter`. */
export type PairWhere = Where<Nullable<PairFilter>>
export type RouteWhere = Where<Nullable<RouteFilter>>
export type PairDayWhere = Where<WithDay<PairDayFilter>>
export type PairHourWhere = Where<Nullable<PairFilter> & { hour?: Comparison<number> | null }>
export type SolverDayWhere = Where<WithDay<SolverDayFilter>>

type Maybe<Given> = Given | null | undefined

export function pairFilters(where: Maybe<PairWhere>): Filter<PairFilter>[] {
  return plainFilters(where, (own) => own)
}

export function routeFilters(where: Maybe<RouteWhere>): Filter<RouteFilter>[] {
  return plainFilters(where, (own) => own)
}

export function pairDayFilters(where: Maybe<PairDayWhere>): Filter<PairDayFilter>[] {
  return plainFilters(where, ({ day, ...own }) => ({ ...own, day: rangeOf(day) }))
}

export function solverDayFilters(where: Maybe<SolverDayWhere>): Filter<SolverDayFilter>[] {
  return plainFilters(where, ({ day, ...own }) => ({ ...own, day: rangeOf(day) }))
}

/** Hours that begin in the range. */
export function pairHourFilters(where: Maybe<PairHourWhere>): Filter<PairHourFilter>[] {
  return plainFilters(where, ({ hour, ...own }) => {
    const { from, to } = rangeOf(hour) ?? {}
    return {
      ...own,
      hour: {
        from: from === undefined ? undefined : Math.ceil(from / 3_600),
        to: to === undefined ? undefined : Math.floor(to / 3_600),
      },
    }
  })
}
