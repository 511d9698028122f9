import { decideOrder } from '../../../core/order/decideOrder.ts'
import type { OrderState } from '../../../core/order/orderState.ts'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import type { Followed } from '../follow/followVault.ts'
import type { OrdersContext, ServedChain } from '../ordersContext.ts'
import {
  decideGas,
  type GasLimits,
  type GasRefusal,
  type GasRequest,
  gasAddedBy,
} from './decideGas.ts'
import { type GasOfAll, gasOfTranches, withMoreGas } from './gasAccount.ts'
import { gasUsedOnChain } from './gasUsedOnChain.ts'
import { nextCheckAt } from './nextCheckAt.ts'
import { effectOf } from './requestEffect.ts'
import { requestedGas } from './requestedGas.ts'

/** Orders whose due tranche isn't paid for yet, each with the reason. */
export type WaitingForGas = ReadonlyMap<Hex, GasRefusal>

/**
 * Which due tranches wait for the service's gas. Those covered by their owners' records never do. The others form one
 * queue, longest due first: newcomers, with however many orders, queue behind everyone already waiting.
 */
export async function queueForGas(
  context: OrdersContext,
  chain: ServedChain,
  followed: Followed,
): Promise<WaitingForGas> {
  const due = dueTranches(chain, followed)
  const shown = gasUsedOnChain(context, followed)
  const { settings } = context
  const hasFailed = ({ facts }: OrderState) => (chain.steps.get(facts.orderId)?.failures ?? 0) > 0
  if (admit(due, shown, { ...settings, unpaidGasOfAll: 0n }, hasFailed).size === 0) return new Map()
  const requests = await requestedGas(context, chain, followed.book)
  const underWay = requests.filter((request) => !request.hasFailed)
  const requested = new Set(underWay.map(({ effect }) => effect))
  const unrequested = due.filter((order) => !requested.has(trancheOf(order)))
  return admit(unrequested, withMoreGas(shown, requests), settings, hasFailed)
}

/**
 * Those that the service would fire now, longest due first. One whose last attempt failed keeps its place.
 */
export function dueTranches(
  chain: Pick<ServedChain, 'halted'>,
  { book, head }: Followed,
): OrderState[] {
  const due: { order: OrderState; since: number }[] = []
  for (const order of book.all()) {
    const since = nextCheckAt(order)
    if (since === null || since > head.timestamp || chain.halted.has(order.facts.tokenA)) continue
    const decided = decideOrder({ type: 'advance' }, order, head.timestamp)
    if (decided !== 'CLOSED' && decided[0]?.type === 'TrancheFired') due.push({ order, since })
  }
  due.sort(
    (one, other) =>
      one.since - other.since || one.order.facts.fundedAt - other.order.facts.fundedAt,
  )
  return due.map(({ order }) => order)
}

function trancheOf({ facts, tranches }: OrderState): string {
  return effectOf({ kind: 'fireTranche', orderId: facts.orderId, n: tranches.length })
}

/**
 * Which of the queue wait. Once the shared budget refuses one, it is first when there is room again: nobody behind it
 * overtakes it, however little gas that needs.
 *
 * @param hasFailed whether a tranche's last attempt failed for another reason. It keeps its place, but reserves no gas:
 *   those behind it don't wait for what may never be fired.
 */
export function admit(
  line: readonly OrderState[],
  taken: GasOfAll,
  limits: GasLimits,
  hasFailed: (order: OrderState) => boolean = () => false,
): Map<Hex, GasRefusal> {
  const waiting = new Map<Hex, GasRefusal>()
  const owners = new Map<Hex, ReturnType<GasOfAll['accountOf']>>()
  let { uncovered } = taken
  let isSpent = false
  for (const order of line) {
    const { owner, orderId } = order.facts
    const account = owners.get(owner) ?? taken.accountOf(owner)
    const gasRequest: GasRequest = { kind: 'fireTranche', gas: gasOfTranches(order) }
    const most = isSpent ? { ...limits, unpaidGasOfAll: 0n } : limits
    const refusal = decideGas(gasRequest, account, uncovered, most)
    if (refusal !== null) {
      waiting.set(orderId, refusal)
      isSpent ||= refusal === 'GAS_BUDGET_SPENT'
      continue
    }
    if (hasFailed(order)) continue
    const now = withMoreGas({ accountOf: () => account, uncovered }, [
      { owner, gas: gasAddedBy(gasRequest) },
    ])
    owners.set(owner, now.accountOf(owner))
    uncovered = now.uncovered
  }
  return waiting
}
