import { listChainTotals } from '../../../services/store/chains/listChainTotals.ts'
import { decodeCursor, encodeCursor } from '../../../services/store/database/cursor.ts'
import type { Direction } from '../../../services/store/intents/intentOrder.ts'
import { listBatches } from '../../../services/store/intents/listBatches.ts'
import { listDayTotals } from '../../../services/store/pairs/listDayTotals.ts'
import {
  countPairPeriods,
  listPairPeriods,
  pairPeriodPlace,
} from '../../../services/store/pairs/listPairPeriods.ts'
import {
  countPairs,
  listPairTotals,
  type PairTotal,
  type PairTotalOrderBy,
  pairTotalPlace,
} from '../../../services/store/pairs/listPairTotals.ts'
import { countRoutes, listRoutes } from '../../../services/store/pairs/listRoutes.ts'
import { pairPlace } from '../../../services/store/pairs/pairFilter.ts'
import { connectionOf } from '../connection/connectionOf.ts'
import { type PageArguments, requestedPage } from '../connection/requestedPage.ts'
import type { GraphqlContext } from '../context.ts'
import {
  type PairDayWhere,
  type PairWhere,
  pairDayFilters,
  pairFilters,
  type RouteWhere,
  routeFilters,
} from '../filters/pairFilters.ts'
import { type DayRange, selectedDays } from '../filters/selectedDays.ts'

/** What `PairTotal` is resolved from. */
export type PairTotalNode = PairTotal & {
  /** The days over which it is summed: with others it is another object. */
  days: readonly DayRange[]
}

const PAIR = ['integer', 'integer', 'hex', 'hex'] as const

/** Fields of `Query` about pairs of chains and tokens. */
export const statisticsQueries = {
  pairDays: async (
    _: unknown,
    args: PageArguments & { where?: PairDayWhere | null; orderBy: { direction: Direction } | null },
    { db }: GraphqlContext,
  ) => {
    const page = requestedPage(args, (cursor) =>
      decodeCursor('pairDays', ['integer', ...PAIR], cursor),
    )
    const filter = pairDayFilters(args.where)
    const direction = args.orderBy?.direction ?? 'desc'
    const rows = await listPairPeriods(db, 'day', filter, {
      ...page,
      direction,
      limit: page.size + 1,
    })
    return {
      ...connectionOf(rows, page, (row) => encodeCursor('pairDays', pairPeriodPlace(row))),
      totalCount: () => countPairPeriods(db, 'day', filter),
    }
  },

  pairTotals: async (
    _: unknown,
    args: PageArguments & {
      where?: PairDayWhere | null
      orderBy: { field: PairTotalOrderBy; direction: Direction } | null
    },
    { db }: GraphqlContext,
  ) => {
    const by = args.orderBy?.field ?? 'created'
    const list = `pairTotals.${by}`
    const kinds = by === 'pair' ? PAIR : (['integer', ...PAIR] as const)
    const page = requestedPage(args, (cursor) => decodeCursor(list, kinds, cursor))
    const filter = pairDayFilters(args.where)
    const direction = args.orderBy?.direction ?? 'desc'
    const rows = await listPairTotals(db, filter, by, { ...page, direction, limit: page.size + 1 })
    const nodes: PairTotalNode[] = rows.map((row) => ({ ...row, days: selectedDays(row, filter) }))
    return {
      ...connectionOf(nodes, page, (row) => encodeCursor(list, pairTotalPlace(row, by))),
      totalCount: () => countPairs(db, filter),
    }
  },

  routes: async (
    _: unknown,
    args: PageArguments & { where?: RouteWhere | null },
    { db }: GraphqlContext,
  ) => {
    const page = requestedPage(args, (cursor) => decodeCursor('routes', PAIR, cursor))
    const filter = routeFilters(args.where)
    const rows = await listRoutes(db, filter, { ...page, direction: 'asc', limit: page.size + 1 })
    return {
      ...connectionOf(rows, page, (row) => encodeCursor('routes', pairPlace(row))),
      totalCount: () => countRoutes(db, filter),
    }
  },

  batches: (_: unknown, { where }: { where?: PairWhere | null }, { db, chains }: GraphqlContext) =>
    listBatches(db, pairFilters(where), chains.heads),

  chainTotals: (_: unknown, { where }: { where?: PairDayWhere | null }, { db }: GraphqlContext) =>
    listChainTotals(db, pairDayFilters(where)),
  dayTotals: (_: unknown, { where }: { where?: PairDayWhere | null }, { db }: GraphqlContext) =>
    listDayTotals(db, pairDayFilters(where)),
}
