import { countOf, percentileOf } from '../../../core/intent/timeHistogram.ts'
import { listChainPeriods, type Period } from '../../../services/store/chains/listChainTotals.ts'
import { decodeCursor, encodeCursor } from '../../../services/store/database/cursor.ts'
import { countStatuses } from '../../../services/store/intents/countStatuses.ts'
import type { Direction } from '../../../services/store/intents/intentOrder.ts'
import { countSenders } from '../../../services/store/pairs/listDayTotals.ts'
import {
  countPairPeriods,
  listPairPeriods,
  pairPeriodPlace,
} from '../../../services/store/pairs/listPairPeriods.ts'
import {
  countSolverDays,
  listSolverDays,
  solverDayPlace,
} from '../../../services/store/solvers/listSolverDays.ts'
import type { CompletionTimes } from '../../../src/projection/completionTimes.ts'
import { connectionOf } from '../connection/connectionOf.ts'
import { type PageArguments, requestedPage } from '../connection/requestedPage.ts'
import type { GraphqlContext } from '../context.ts'
import { queryError } from '../errors/queryError.ts'
import {
  type PairDayWhere,
  type PairHourWhere,
  pairDayFilters,
  pairHourFilters,
  type SolverDayWhere,
  solverDayFilters,
} from '../filters/pairFilters.ts'
import { type Comparison, rangeOf } from '../filters/rangeOf.ts'
import { LIMITS } from '../limits/limits.ts'

const PAIR_HOUR = ['integer', 'integer', 'integer', 'hex', 'hex'] as const
const SOLVER_DAY = ['integer', 'integer', 'hex', 'hex'] as const

/** Fields of `Query` about hours and days. */
export const periodQueries = {
  pairHours: async (
    _: unknown,
    args: PageArguments & {
      where?: PairHourWhere | null
      orderBy: { direction: Direction } | null
    },
    { db }: GraphqlContext,
  ) => {
    const page = requestedPage(args, (cursor) => decodeCursor('pairHours', PAIR_HOUR, cursor))
    const filter = pairHourFilters(args.where)
    const direction = args.orderBy?.direction ?? 'desc'
    const rows = await listPairPeriods(db, 'hour', filter, {
      ...page,
      direction,
      limit: page.size + 1,
    })
    return {
      ...connectionOf(rows, page, (row) => encodeCursor('pairHours', pairPeriodPlace(row))),
      totalCount: () => countPairPeriods(db, 'hour', filter),
    }
  },

  chainPeriods: (
    _: unknown,
    args: { by: Period; chainId?: number | null; start?: Comparison<number> | null },
    { db }: GraphqlContext,
  ) =>
    listChainPeriods(db, args.by, {
      chainId: args.chainId ?? undefined,
      start: rangeOf(args.start),
    }),

  solverDays: async (
    _: unknown,
    args: PageArguments & { where?: SolverDayWhere | null },
    { db }: GraphqlContext,
  ) => {
    const page = requestedPage(args, (cursor) => decodeCursor('solverDays', SOLVER_DAY, cursor))
    const filter = solverDayFilters(args.where)
    const requested = { ...page, direction: 'desc', limit: page.size + 1 } as const
    const rows = await listSolverDays(db, filter, requested)
    return {
      ...connectionOf(rows, page, (row) => encodeCursor('solverDays', solverDayPlace(row))),
      totalCount: () => countSolverDays(db, filter),
    }
  },

  statusCounts: async (_: unknown, __: unknown, { db, chains }: GraphqlContext) => {
    const { value, readAt } = await countStatuses(db, chains.heads)
    return { ...value, countedAt: Math.floor(readAt / 1_000) }
  },

  senderCount: (_: unknown, { where }: { where: PairDayWhere }, { db }: GraphqlContext) => {
    // Whatever else is said beside it only leaves out some of these days.
    const { from, to } = rangeOf(where.day) ?? {}
    if (from === undefined || to === undefined || to - from >= LIMITS.senderDays)
      throw queryError(
        'BAD_USER_INPUT',
        `where.day must be a range of at most ${LIMITS.senderDays} days: use gte and lte`,
      )
    return countSenders(db, pairDayFilters(where))
  },
}

export const completionFields = {
  count: (times: CompletionTimes) => countOf(times),
  p50: (times: CompletionTimes) => percentileOf(times, 0.5),
  p90: (times: CompletionTimes) => percentileOf(times, 0.9),
  p95: (times: CompletionTimes) => percentileOf(times, 0.95),
  p99: (times: CompletionTimes) => percentileOf(times, 0.99),
}
