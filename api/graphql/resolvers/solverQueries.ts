import { decodeCursor, encodeCursor } from '../../../services/store/database/cursor.ts'
import type { Direction } from '../../../services/store/intents/intentOrder.ts'
import { bidCursor, bidPlace, listBids } from '../../../services/store/solvers/listBids.ts'
import {
  deliveryCursor,
  deliveryPlace,
  listDeliveries,
} from '../../../services/store/solvers/listDeliveries.ts'
import {
  countSolvers,
  listSolvers,
  type SolverOrderBy,
  type SolverTotals,
} from '../../../services/store/solvers/listSolvers.ts'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import { connectionOf } from '../connection/connectionOf.ts'
import { type PageArguments, requestedPage } from '../connection/requestedPage.ts'
import type { GraphqlContext } from '../context.ts'
import {
  type BidWhere,
  bidFilters,
  type DeliveryWhere,
  deliveryFilters,
} from '../filters/bidAndDeliveryFilters.ts'

type OfSolver<Where> = PageArguments & {
  solver: Hex
  where?: Where | null
  orderBy: { direction: Direction } | null
}

type SolversArguments = PageArguments & {
  orderBy: { field: SolverOrderBy; direction: Direction } | null
}

/** Fields of `Query` about solvers. */
export const solverQueries = {
  solver: (_: unknown, { address }: { address: Hex }, { loaders }: GraphqlContext) =>
    loaders.solver.load(address),

  solvers: async (_: unknown, args: SolversArguments, { db }: GraphqlContext) => {
    const by = args.orderBy?.field ?? 'settlements'
    const list = `solvers.${by}`
    const kinds = by === 'address' ? (['hex'] as const) : (['integer', 'hex'] as const)
    const page = requestedPage(args, (cursor) => decodeCursor(list, kinds, cursor))
    const direction = args.orderBy?.direction ?? 'desc'
    const rows = await listSolvers(db, by, { ...page, direction, limit: page.size + 1 })
    return {
      ...connectionOf(rows, page, (row) => encodeCursor(list, placeOf(row, by))),
      totalCount: () => countSolvers(db),
    }
  },

  bids: async (_: unknown, args: OfSolver<BidWhere>, { db }: GraphqlContext) => {
    const page = requestedPage(args, bidPlace)
    const direction = args.orderBy?.direction ?? 'desc'
    const requested = { ...page, direction, limit: page.size + 1 }
    const rows = await listBids(db, args.solver, bidFilters(args.where), requested)
    return connectionOf(rows, page, bidCursor)
  },

  deliveries: async (_: unknown, args: OfSolver<DeliveryWhere>, { db }: GraphqlContext) => {
    const page = requestedPage(args, deliveryPlace)
    const direction = args.orderBy?.direction ?? 'desc'
    const requested = { ...page, direction, limit: page.size + 1 }
    const rows = await listDeliveries(db, args.solver, deliveryFilters(args.where), requested)
    return connectionOf(rows, page, deliveryCursor)
  },
}

function placeOf(row: SolverTotals, by: SolverOrderBy): (number | string)[] {
  return by === 'address' ? [row.solver] : [row[by], row.solver]
}
