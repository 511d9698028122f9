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
  countSolverDays,
  listSolverDays,
  type SolverDayFilter,
  solverDayPlace,
} from '../../../services/store/solvers/listSolverDays.ts'
import {
  countSolvers,
  listSolvers,
  type SolverOrderBy,
  type SolverTotals,
} from '../../../services/store/solvers/listSolvers.ts'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import { type PlainWhere, toStoreFilters } from '../filters/toStoreFilters.ts'
import type { GraphqlContext } from '../graphqlContext.ts'
import { keysetCursors, type ListArguments, readConnection } from '../pagination/readConnection.ts'

type SolverListArguments<Filter> = ListArguments<PlainWhere<Filter>> & { solver: Hex }

/** Fields of `Query` about solvers. */
export const solverQueries = {
  solver: ({ address }: { address: Hex }, { loaders }: GraphqlContext) =>
    loaders.solver.load(address),

  solvers: async (args: ListArguments<never, { field: SolverOrderBy }>, { db }: GraphqlContext) => {
    const by = args.orderBy?.field ?? 'settlements'
    const cursors = keysetCursors(
      `solvers.${by}`,
      by === 'address' ? ['hex'] : ['integer', 'hex'],
      (row: SolverTotals) => (by === 'address' ? [row.solver] : [row[by], row.solver]),
    )
    return {
      ...(await readConnection(args, cursors, (page) => listSolvers(db, by, page))),
      totalCount: () => countSolvers(db),
    }
  },

  solverDays: async (args: ListArguments<PlainWhere<SolverDayFilter>>, { db }: GraphqlContext) => {
    const filter = toStoreFilters(args.where)
    return {
      ...(await readConnection(args, SOLVER_DAY, (page) => listSolverDays(db, filter, page))),
      totalCount: () => countSolverDays(db, filter),
    }
  },

  bids: (args: SolverListArguments<BidFilter>, { db }: GraphqlContext) =>
    readConnection(args, { cursorOf: bidCursor, placeIn: bidPlace }, (page) =>
      listBids(db, args.solver, toStoreFilters(args.where), page),
    ),

  deliveries: (args: SolverListArguments<DeliveryFilter>, { db }: GraphqlContext) =>
    readConnection(args, { cursorOf: deliveryCursor, placeIn: deliveryPlace }, (page) =>
      listDeliveries(db, args.solver, toStoreFilters(args.where), page),
    ),
}

const SOLVER_DAY = keysetCursors('solverDays', ['integer', 'integer', 'hex', 'hex'], solverDayPlace)
