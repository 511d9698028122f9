import {
  countSolvers,
  listSolvers,
  type SolverOrderBy,
  solverCursors,
} from '../../../services/store/solvers/listSolvers.ts'
import { type BidFilter, SOLVER_BIDS } from '../../../services/store/solvers/solverBids.ts'
import { SOLVER_DAYS, type SolverDayFilter } from '../../../services/store/solvers/solverDays.ts'
import {
  type DeliveryFilter,
  SOLVER_DELIVERIES,
} from '../../../services/store/solvers/solverDeliveries.ts'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import { type PlainWhere, toStoreFilters } from '../filters/toStoreFilters.ts'
import type { GraphqlContext } from '../graphqlContext.ts'
import { type ListArguments, readConnection, readCounted } from '../pagination/readConnection.ts'

type SolverListArguments<Filter> = ListArguments<PlainWhere<Filter>> & { solver: Hex }

/** Fields of `Query` about solvers. */
export const solverQueries = {
  solver: ({ address }: { address: Hex }, { loaders }: GraphqlContext) =>
    loaders.solver.load(address),

  solvers: async (args: ListArguments<never, { field: SolverOrderBy }>, { db }: GraphqlContext) => {
    const by = args.orderBy?.field ?? 'settlements'
    return {
      ...(await readConnection(args, solverCursors(by), (page) => listSolvers(db, by, page))),
      totalCount: () => countSolvers(db),
    }
  },

  solverDays: (args: ListArguments<PlainWhere<SolverDayFilter>>, context: GraphqlContext) =>
    readCounted(SOLVER_DAYS, args, toStoreFilters(args.where), context),

  bids: (args: SolverListArguments<BidFilter>, { db }: GraphqlContext) =>
    readConnection(args, SOLVER_BIDS, (page) =>
      SOLVER_BIDS.list(db, { solver: args.solver, filter: toStoreFilters(args.where) }, page),
    ),

  deliveries: (args: SolverListArguments<DeliveryFilter>, { db }: GraphqlContext) =>
    readConnection(args, SOLVER_DELIVERIES, (page) =>
      SOLVER_DELIVERIES.list(db, { solver: args.solver, filter: toStoreFilters(args.where) }, page),
    ),
}
