import {
  type BidFilter,
  bidCursor,
  bidPlace,
  listBids,
} from '../../../services/store/solvers/listBids.ts'
import {
  type DeliveryFilter,
  deliveryCursor,
  deliveryPlace,
  listDeliveries,
} from '../../../services/store/solvers/listDeliveries.ts'
import {
  countSolvers,
  listSolvers,
  type SolverOrderBy,
  solverCursors,
} from '../../../services/store/solvers/listSolvers.ts'
import { SOLVER_DAYS, type SolverDayFilter } from '../../../services/store/solvers/solverDays.ts'
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
    readConnection(args, { cursorOf: bidCursor, placeIn: bidPlace }, (page) =>
      listBids(db, args.solver, toStoreFilters(args.where), page),
    ),

  deliveries: (args: SolverListArguments<DeliveryFilter>, { db }: GraphqlContext) =>
    readConnection(args, { cursorOf: deliveryCursor, placeIn: deliveryPlace }, (page) =>
      listDeliveries(db, args.solver, toStoreFilters(args.where), page),
    ),
}
