import { parseOrderId } from '../../../core/order/apiOrderId.ts'
import { listVaultEscrow } from '../../../services/store/chains/listEscrow.ts'
import { findOrder } from '../../../services/store/orders/findOrder.ts'
import { ORDERS, type OrderFilter } from '../../../services/store/orders/scheduledOrders.ts'
import { queryError } from '../errors/queryError.ts'
import { type PlainWhere, toStoreFilters } from '../filters/toStoreFilters.ts'
import type { GraphqlContext } from '../graphqlContext.ts'
import { type ListArguments, readConnection } from '../pagination/readConnection.ts'
import { type AsOfBlocks, resolveAsOfArgument } from '../resolveAsOfArgument.ts'
import { createOrderNode, type OrderNode } from './orderNode.ts'

type OrderArguments = { id: string; chainId?: number | null; asOf?: AsOfBlocks | null }

/** Fields of `Query` about scheduled orders. */
export const orderQueries = {
  order: async (
    { id, chainId, asOf }: OrderArguments,
    context: GraphqlContext,
  ): Promise<OrderNode | null> => {
    const range = parseOrderId(id)
    if (!range) {
      throw queryError(
        'BAD_USER_INPUT',
        'expected an order’s id: twap-…, or the vault’s, 0x and 64 hexadecimal digits',
      )
    }
    const { db, chains } = context
    const view = await resolveAsOfArgument(asOf, context)
    const order = await findOrder(db, range, chainId ?? undefined)
    if (!order || !view) return order && createOrderNode(order, { chains })
    const pastOrder = await view.loaders.order.load(order)
    return pastOrder && createOrderNode(pastOrder, { chains, view })
  },

  orders: async (args: ListArguments<PlainWhere<OrderFilter>>, { db, chains }: GraphqlContext) => {
    const asked = { filter: toStoreFilters(args.where), heads: chains.heads }
    const orders = await readConnection(args, ORDERS, async (page) => {
      const rows = await ORDERS.list(db, asked, page)
      return rows.map((order) => createOrderNode(order, { chains }))
    })
    return { ...orders, totalCount: () => ORDERS.count(db, asked) }
  },

  vaultEscrow: ({ chainId }: { chainId?: number | null }, { db }: GraphqlContext) =>
    listVaultEscrow(db, chainId ?? undefined),
}
