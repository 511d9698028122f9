import { type OrderStatus, orderStatus } from '../../../core/order/orderStatus.ts'
import type { ChainsNow } from '../../../services/store/chains/chainStateCache.ts'
import type { OrderFacts } from '../../../src/order/facts.ts'
import type { AsOfView } from '../asOfView.ts'

/** What the fields of `Order` are resolved from: its chain's row, and its status by that chain's clock. */
export type OrderNode = OrderFacts &
  OrderStatus & {
    /** The earlier moment that it is shown as of; null for now. */
    view: AsOfView | null
  }

/** An order as it stands by its chain's head, or as it stood at an earlier moment. */
export function orderNode(
  order: OrderFacts,
  { chains, view = null }: { chains: ChainsNow; view?: AsOfView | null },
): OrderNode {
  const { heads } = view?.asOf.chains ?? chains
  return { ...order, ...orderStatus(order, heads.get(order.chainId)?.timestamp ?? null), view }
}
