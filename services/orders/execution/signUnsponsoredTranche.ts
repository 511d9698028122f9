import type { OrderState } from '../../../core/order/orderState.ts'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import { OrderError } from '../orderError.ts'
import type { OrdersContext, ServedChain } from '../ordersContext.ts'
import type { SignedTranche } from '../ordersServiceTypes.ts'
import { findClose } from './requestVaultCall.ts'
import { signTrancheCall } from './takeOrderSteps.ts'
import { throwEnclaveProblem } from './throwEnclaveProblem.ts'

/** Cached, so that each state of an order is signed once. */
const signed = new WeakMap<OrderState, Promise<Hex>>()

/**
 * The signed call of a due tranche whose gas the service doesn't pay now. Anyone may send it: the vault enforces the
 * order's time and terms.
 *
 * @throws OrderError when no tranche of the order waits for gas, or its owner has cancelled it
 */
export async function signUnsponsoredTranche(
  context: Pick<OrdersContext, 'db' | 'account' | 'enclaves' | 'events'>,
  chain: ServedChain,
  order: OrderState,
): Promise<SignedTranche> {
  const { facts, tranches } = order
  if (!chain.waiting.has(facts.orderId)) {
    const message =
      'no tranche of this order is waiting for gas: the service fires due tranches itself'
    throw new OrderError('TRANCHE_NOT_WAITING', message)
  }
  if ((await findClose(context, chain, facts.orderId)) !== null)
    throw new OrderError('TRANCHE_NOT_WAITING', 'the order’s owner has cancelled it')
  let call = signed.get(order)
  if (call === undefined) {
    call = signTrancheCall(context, chain, order, tranches.length)
    signed.set(order, call)
    call.catch(() => signed.delete(order))
  }
  return { n: tranches.length, to: chain.vault, data: await call.catch(throwEnclaveProblem) }
}
