import { decideOrderAction, findNextCheckTime } from '../../../core/order/decideOrderAction.ts'
import type { OrderState } from '../../../core/order/orderState.ts'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import { effectOf } from '../execution/requestVaultCall.ts'
import type { VaultSnapshot } from '../follow/followVault.ts'
import type { OrdersContext, ServedChain } from '../ordersContext.ts'
import {
  decideGasPayment,
  type GasLimits,
  type GasRefusal,
  type GasRequest,
  gasAddedBy,
} from './decideGasPayment.ts'
import {
  calculateGasPaidPerOwner,
  type GasOfAll,
  gasOfTranches,
  withAddedGas,
} from './ownerGasAccounts.ts'
import { readRequestedGas } from './readRequestedGas.ts'

/** Orders whose due tranche waits for gas, each with the reason. */
export type WaitingForGas = ReadonlyMap<Hex, GasRefusal>

/**
 * Which due tranches wait for the service's gas. Those covered by their owners' records never wait. The others form
 * one queue, longest due first, so that a newcomer's many orders don't overtake anyone.
 */
export async function findTranchesWaitingForGas(
  context: OrdersContext,
  chain: ServedChain,
  snapshot: VaultSnapshot,
): Promise<WaitingForGas> {
  const due = findDueTranches(chain, snapshot)
  const onChain = calculateGasPaidPerOwner(context, snapshot)
  const { settings } = context
  const hasFailed = ({ facts }: OrderState) => (chain.steps.get(facts.orderId)?.failures ?? 0) > 0
  if (admit(due, onChain, { ...settings, unpaidGasOfAll: 0n }, hasFailed).size === 0)
    return new Map()
  const requests = await readRequestedGas(context, chain, snapshot.book)
  const pending = requests.filter((request) => !request.hasFailed)
  const requested = new Set(pending.map(({ effect }) => effect))
  const unrequested = due.filter((order) => !requested.has(trancheOf(order)))
  return admit(unrequested, withAddedGas(onChain, requests), settings, hasFailed)
}

/** Orders with a due tranche, longest due first. One whose last attempt failed keeps its place. */
export function findDueTranches(
  chain: Pick<ServedChain, 'halted'>,
  { book, head }: VaultSnapshot,
): OrderState[] {
  const due: { order: OrderState; since: number }[] = []
  for (const order of book.open()) {
    const since = findNextStepTime(order)
    if (since === null || since > head.timestamp || chain.halted.has(order.facts.tokenA)) continue
    const decided = decideOrderAction({ type: 'advance' }, order, head.timestamp)
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
 * Which tranches of the queue must wait. Once the shared budget refuses one, those behind it that need the budget wait
 * too: none overtakes it by needing less gas.
 *
 * @param hasFailed whether a tranche's last attempt failed for another reason. It keeps its place but reserves no gas,
 *   since it may never be fired.
 */
export function admit(
  queue: readonly OrderState[],
  used: GasOfAll,
  limits: GasLimits,
  hasFailed: (order: OrderState) => boolean = () => false,
): Map<Hex, GasRefusal> {
  const waiting = new Map<Hex, GasRefusal>()
  const owners = new Map<Hex, ReturnType<GasOfAll['accountOf']>>()
  let { uncovered } = used
  let isSpent = false
  for (const order of queue) {
    const { owner, orderId } = order.facts
    const account = owners.get(owner) ?? used.accountOf(owner)
    const gasRequest: GasRequest = { kind: 'fireTranche', gas: gasOfTranches(order) }
    const remaining = isSpent ? { ...limits, unpaidGasOfAll: 0n } : limits
    const refusal = decideGasPayment(gasRequest, account, uncovered, remaining)
    if (refusal !== null) {
      waiting.set(orderId, refusal)
      isSpent ||= refusal === 'GAS_BUDGET_SPENT'
      continue
    }
    if (hasFailed(order)) continue
    const after = withAddedGas({ accountOf: () => account, uncovered }, [
      { owner, gas: gasAddedBy(gasRequest) },
    ])
    owners.set(owner, after.accountOf(owner))
    uncovered = after.uncovered
  }
  return waiting
}

const nextStepTimes = new WeakMap<OrderState, number | null>()

/** When an order's next step may be due. Cached, since few of ten thousand orders change between rounds. */
export function findNextStepTime(order: OrderState): number | null {
  let at = nextStepTimes.get(order)
  if (at === undefined) {
    at = findNextCheckTime(order)
    nextStepTimes.set(order, at)
  }
  return at
}
