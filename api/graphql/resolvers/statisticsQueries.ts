import { listChainTotals } from '../../../services/store/chains/listChainTotals.ts'
import { decodeCursor, encodeCursor } from '../../../services/store/database/cursor.ts'
import type { Direction } from '../../../services/store/intents/intentOrder.ts'
import { listBatches } from '../../../services/store/intents/listBatches.ts'
import {
  type Pair,
  type PairDayFilter,
  pairPlace,
} from '../../../services/store/intents/pairFilter.ts'
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
import {
  countRoutes,
  listRoutes,
  type RouteFilter,
} from '../../../services/store/pairs/listRoutes.ts'
import { connectionOf } from '../connection/connectionOf.ts'
import { type PageArguments, pageOf } from '../connection/pageOf.ts'
import type { GraphqlContext } from '../context.ts'
import { type Comparison, rangeOf } from '../filters/rangeOf.ts'

type Nullable<Fields> = { [Name in keyof Fields]?: Fields[Name] | null }
export type PairWhere = Nullable<Pair>
export type PairDayWhere = PairWhere & { day?: Comparison<number> | null }
type RouteWhere = PairWhere & { isOpen?: boolean | null }

/** What `PairTotal` is resolved from. */
export type PairTotalNode = PairTotal & {
  /** The days over which it is summed: with others it is another object. */
  days: PairDayFilter['day']
}

const PAIR = ['integer', 'integer', 'hex', 'hex'] as const

/** Fields of `Query` about pairs of chains and tokens. */
export const statisticsQueries = {
  pairDays: async (
    _: unknown,
    args: PageArguments & { where?: PairDayWhere | null; orderBy: { direction: Direction } | null },
    { db }: GraphqlContext,
  ) => {
    const page = pageOf(args, (cursor) => decodeCursor('pairDays', ['integer', ...PAIR], cursor))
    const filter = pairDayFilter(args.where)
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
    const page = pageOf(args, (cursor) => decodeCursor(list, kinds, cursor))
    const filter = pairDayFilter(args.where)
    const direction = args.orderBy?.direction ?? 'desc'
    const rows = await listPairTotals(db, filter, by, { ...page, direction, limit: page.size + 1 })
    const nodes: PairTotalNode[] = rows.map((row) => ({ ...row, days: filter.day }))
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
    const page = pageOf(args, (cursor) => decodeCursor('routes', PAIR, cursor))
    const filter = given(args.where) as RouteFilter
    const rows = await listRoutes(db, filter, { ...page, direction: 'asc', limit: page.size + 1 })
    return {
      ...connectionOf(rows, page, (row) => encodeCursor('routes', pairPlace(row))),
      totalCount: () => countRoutes(db, filter),
    }
  },

  batches: (_: unknown, { where }: { where?: PairWhere | null }, { db, chains }: GraphqlContext) =>
    listBatches(db, given(where), chains.heads),

  chainTotals: (_: unknown, { where }: { where?: PairDayWhere | null }, { db }: GraphqlContext) =>
    listChainTotals(db, pairDayFilter(where)),
  dayTotals: (_: unknown, { where }: { where?: PairDayWhere | null }, { db }: GraphqlContext) =>
    listDayTotals(db, pairDayFilter(where)),
}

export function pairDayFilter(where: PairDayWhere | null | undefined): PairDayFilter {
  const { day, ...pair } = where ?? {}
  return { ...given(pair), day: rangeOf(day) }
}

/** Without what is null: in a filter that is as good as absent. */
export function given<Fields extends object>(where: Fields | null | undefined): Given<Fields> {
  const entries = Object.entries(where ?? {}).filter(([, value]) => value != null)
  return Object.fromEntries(entries) as Given<Fields>
}

type Given<Fields> = { [Name in keyof Fields]?: Exclude<Fields[Name], null | undefined> }
