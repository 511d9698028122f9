import { countTimes, findPercentile } from '../../../core/intent/completionTimeHistogram.ts'
import {
  listChainPeriods,
  listChainTotals,
  type Period,
} from '../../../services/store/chains/listChainTotals.ts'
import { countStatuses } from '../../../services/store/intents/countStatuses.ts'
import { listAuctionBatches } from '../../../services/store/intents/listAuctionBatches.ts'
import { countSenders, listDayTotals } from '../../../services/store/pairs/listDayTotals.ts'
import {
  countPairs,
  listPairTotals,
  type PairTotal,
  type PairTotalOrderBy,
  pairTotalCursors,
} from '../../../services/store/pairs/listPairTotals.ts'
import type {
  PairDayFilter,
  PairFilter,
  PairHourFilter,
} from '../../../services/store/pairs/pairFilter.ts'
import { PAIR_DAYS, PAIR_HOURS } from '../../../services/store/pairs/pairPeriods.ts'
import { ROUTES, type RouteFilter } from '../../../services/store/pairs/routes.ts'
import type { CompletionTimes } from '../../../src/projection/completionTimes.ts'
import { queryError } from '../errors/queryError.ts'
import { type DayRange, toDayRanges } from '../filters/toDayRanges.ts'
import { type Comparison, toRange } from '../filters/toRange.ts'
import { type PlainWhere, toStoreFilters } from '../filters/toStoreFilters.ts'
import type { GraphqlContext } from '../graphqlContext.ts'
import { LIMITS } from '../limits/limits.ts'
import { type ListArguments, readConnection, readCounted } from '../pagination/readConnection.ts'

/** Source object of `PairTotal`. */
export type PairTotalNode = PairTotal & {
  /** The days over which it is summed, which its id names. */
  days: readonly DayRange[]
}

type DaysArguments = { where?: PlainWhere<PairDayFilter> | null }

/** Fields of `Query` about pairs of chains and tokens, chains, and periods. */
export const statisticsQueries = {
  pairDays: (args: ListArguments<PlainWhere<PairDayFilter>>, context: GraphqlContext) =>
    readCounted(PAIR_DAYS, args, toStoreFilters(args.where), context),

  pairHours: (args: ListArguments<PlainWhere<PairHourFilter>>, context: GraphqlContext) =>
    readCounted(PAIR_HOURS, args, toStoreFilters(args.where, inHours), context),

  pairTotals: async (
    args: ListArguments<PlainWhere<PairDayFilter>, { field: PairTotalOrderBy }>,
    { db }: GraphqlContext,
  ) => {
    const by = args.orderBy?.field ?? 'created'
    const filter = toStoreFilters(args.where)
    const pairs = await readConnection(args, pairTotalCursors(by), async (page) => {
      const rows = await listPairTotals(db, filter, by, page)
      return rows.map((row) => ({ ...row, days: toDayRanges(row, filter) }))
    })
    return { ...pairs, totalCount: () => countPairs(db, filter) }
  },

  routes: (args: ListArguments<PlainWhere<RouteFilter>>, context: GraphqlContext) => {
    const inOrder = { ...args, orderBy: { direction: 'asc' } as const }
    return readCounted(ROUTES, inOrder, toStoreFilters(args.where), context)
  },

  batches: ({ where }: { where?: PlainWhere<PairFilter> | null }, { db, chains }: GraphqlContext) =>
    listAuctionBatches(db, toStoreFilters(where), chains.heads),

  chainTotals: ({ where }: DaysArguments, { db }: GraphqlContext) =>
    listChainTotals(db, toStoreFilters(where)),

  dayTotals: ({ where }: DaysArguments, { db }: GraphqlContext) =>
    listDayTotals(db, toStoreFilters(where)),

  chainPeriods: (
    args: { by: Period; chainId?: number | null; start?: Comparison<number> | null },
    { db }: GraphqlContext,
  ) =>
    listChainPeriods(db, args.by, {
      chainId: args.chainId ?? undefined,
      start: toRange(args.start),
    }),

  statusCounts: async (_: unknown, { db, chains }: GraphqlContext) => {
    const { value, readAt } = await countStatuses(db, chains.heads)
    return { ...value, countedAt: Math.floor(readAt / 1_000) }
  },

  senderCount: ({ where }: Required<DaysArguments>, { db }: GraphqlContext) => {
    // Other conditions can only narrow this range further.
    const { from, to } = toRange(where?.day) ?? {}
    if (from === undefined || to === undefined || to - from >= LIMITS.senderDays)
      throw queryError(
        'BAD_USER_INPUT',
        `where.day must be a range of at most ${LIMITS.senderDays} days: use gte and lte`,
      )
    return countSenders(db, toStoreFilters(where))
  },
}

/** Converts a range of seconds to the hours that begin in it. */
function inHours({ hour: { from, to } = {}, ...own }: PairHourFilter): PairHourFilter {
  return {
    ...own,
    hour: {
      from: from === undefined ? undefined : Math.ceil(from / 3_600),
      to: to === undefined ? undefined : Math.floor(to / 3_600),
    },
  }
}

export const completionFields = {
  count: (times: CompletionTimes) => countTimes(times),
  p50: (times: CompletionTimes) => findPercentile(times, 0.5),
  p90: (times: CompletionTimes) => findPercentile(times, 0.9),
  p95: (times: CompletionTimes) => findPercentile(times, 0.95),
  p99: (times: CompletionTimes) => findPercentile(times, 0.99),
}
