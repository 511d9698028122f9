import { toApiOrderId } from '../../../core/order/apiOrderId.ts'
import { calculateOrderAmounts } from '../../../core/order/calculateOrderAmounts.ts'
import { countTranches } from '../../../core/order/countTranches.ts'
import { findNextTrancheTime } from '../../../core/order/findNextTrancheTime.ts'
import { decodeCursor, encodeCursor } from '../../../services/store/database/paginationCursor.ts'
import type { TrancheRow } from '../../../src/projection/rowTypes.ts'
import type { GraphqlContext } from '../graphqlContext.ts'
import { orderId } from '../objectIds.ts'
import { buildConnection, type Connection } from '../pagination/buildConnection.ts'
import type { AsOfView } from '../resolveAsOfArgument.ts'
import { type NestedArguments, nestedPage } from './intentNestedLists.ts'
import { type IntentNode, intentOf } from './intentNode.ts'
import { createOrderNode, type OrderNode } from './orderNode.ts'
import { chainFields, pairFields } from './solverFields.ts'

const TRANCHES = 'tranches'

/** Source object of `Tranche`. */
type TrancheNode = TrancheRow & { view: AsOfView | null }

/** Fields of `Order` that aren't columns of its row. */
export const orderFields = {
  id: (node: OrderNode) => orderId(node, node.view?.moment),
  serviceId: (node: OrderNode) => toApiOrderId(node.orderId),
  ...chainFields,
  destChain: pairFields.destChain,
  amountSpent: (node: OrderNode) => calculateOrderAmounts(node).spent,
  // The row's column of the same name only counts tranches.
  amountRefunded: (node: OrderNode) => calculateOrderAmounts(node).refunded,
  amountLeft: (node: OrderNode) => calculateOrderAmounts(node).left,
  totalTranches: (node: OrderNode) => countTranches(node.totalAmount, node.amountPerPeriod),
  nextTrancheAt: (node: OrderNode) => findNextTrancheTime(node),
  tranches: tranchesOf,
}

/** Fields of `Tranche` that aren't columns of its row. */
export const trancheFields = {
  intent: ({ chainId, intentId, view }: TrancheNode, args: unknown, context: GraphqlContext) =>
    intentOf({ sourceChainId: chainId, intentId, view }, args, context),
}

/** Resolves `Intent.order`. */
export async function orderOfIntent(
  { sourceChainId: chainId, orderId, view }: IntentNode,
  _: unknown,
  { loaders, chains }: GraphqlContext,
): Promise<OrderNode | null> {
  if (orderId === null) return null
  const order = await (view?.loaders ?? loaders).order.load({ chainId, orderId })
  return order && createOrderNode(order, { chains, view })
}

async function tranchesOf(
  order: OrderNode,
  args: NestedArguments,
  { loaders }: GraphqlContext,
): Promise<Connection<TrancheNode>> {
  const { view } = order
  const page = nestedPage(args, (cursor) => Number(decodeCursor(TRANCHES, ['integer'], cursor)[0]))
  const found = await (view?.loaders ?? loaders)
    .tranches(page.size + 1, page.after ?? -1)
    .load(order)
  const rows = found.map((row) => ({ ...row, view }))
  return buildConnection(rows, page, ({ trancheIndex }) => encodeCursor(TRANCHES, [trancheIndex]))
}
