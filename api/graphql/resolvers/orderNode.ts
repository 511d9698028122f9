import { deriveOrderStatus, type OrderStatus } from '../../../core/order/orderStatus.ts'
import type { ChainsNow } from '../../../services/store/chains/chainStateCache.ts'
import type { OrderFacts } from '../../../src/order/orderFacts.ts'
import type { AsOfView } from '../resolveAsOfArgument.ts'

/** Source object of `Order`: its row, and its status by its chain's head. */
export type OrderNode = OrderFacts &
  OrderStatus & {
    /** The past moment that it is shown at; null for now. */
    view: AsOfView | null
  }

/** An order judged by its chain's head, or by that of a past moment. */
export function createOrderNode(
  order: OrderFacts,
  { chains, view = null }: { chains: ChainsNow; view?: AsOfView | null },
): OrderNode {
  const { heads } = view?.asOf.chains ?? chains
  return {
    ...order,
    ...deriveOrderStatus(order, heads.get(order.chainId)?.timestamp ?? null),
    view,
  }
}
