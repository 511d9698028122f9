import { orderIdRange } from '../../../core/order/apiOrderId.ts'
import { listVaultEscrow } from '../../../services/store/chains/listEscrow.ts'
import { findOrder } from '../../../services/store/orders/findOrder.ts'
import {
  countOrders,
  listOrders,
  type OrderFilter,
  orderCursor,
  orderPlace,
} from '../../../services/store/orders/listOrders.ts'
import { type AsOfBlocks, asOfView } from '../asOfView.ts'
import { connectionOf } from '../connection/connectionOf.ts'
import { type PageArguments, requestedPage } from '../connection/requestedPage.ts'
import type { GraphqlContext } from '../context.ts'
import { queryError } from '../errors/queryError.ts'
import type { Where } from '../filters/disjointFilters.ts'
import { plainFilters } from '../filters/plainFilters.ts'
import { type OrderNode, orderNode } from './orderNode.ts'

type OrderArguments = { id: string; chainId?: number | null; asOf?: AsOfBlocks | null }

/** The input type `OrderFilter`, its scalars parsed; null is as good as absent. */
type OrderWhere = Where<{ [Name in keyof OrderFilter]: OrderFilter[Name] | null }>

/** Fields of `Query` about scheduled orders. */
export const orderQueries = {
  order: async (
    _: unknown,
    { id, chainId, asOf }: OrderArguments,
    context: GraphqlContext,
  ): Promise<OrderNode | null> => {
    const range = orderIdRange(id)
    if (!range) {
      throw queryError(
        'BAD_USER_INPUT',
        'an order has the id twap-… or the vault’s: 0x and 64 digits',
      )
    }
    const { db, chains } = context
    const view = await asOfView(asOf, context)
    const order = await findOrder(db, range, chainId ?? undefined)
    if (!order || !view) return order && orderNode(order, { chains })
    const then = await view.loaders.order.load(order)
    return then && orderNode(then, { chains, view })
  },

  orders: async (
    _: unknown,
    args: PageArguments & { where?: OrderWhere | null },
    { db, chains }: GraphqlContext,
  ) => {
    const page = requestedPage(args, orderPlace)
    const filter = plainFilters(args.where, (own): OrderFilter => own)
    const { heads } = chains
    const limit = page.size + 1
    const rows = await listOrders(db, filter, heads, { ...page, direction: 'desc', limit })
    const nodes = rows.map((order) => orderNode(order, { chains }))
    return {
      ...connectionOf(nodes, page, orderCursor),
      totalCount: () => countOrders(db, filter, heads),
    }
  },

  vaultEscrow: (_: unknown, { chainId }: { chainId?: number | null }, { db }: GraphqlContext) =>
    listVaultEscrow(db, chainId ?? undefined),
}
