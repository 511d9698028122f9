import { toApiOrderId } from '../../core/order/apiOrderId.ts'
import type { OrderState } from '../../core/order/orderState.ts'
import { deriveOrderStatus } from '../../core/order/orderStatus.ts'
import { isDue } from './execution/takeOrderSteps.ts'
import type { ChainProblem } from './findChainProblem.ts'
import { NO_TOTALS } from './follow/orderTotals.ts'
import { decideGasPayment } from './gas/decideGasPayment.ts'
import { estimateOrderCallGas } from './gas/estimateOrderCallGas.ts'
import { findNextStepTime } from './gas/findTranchesWaitingForGas.ts'
import { calculateGasPaidPerOwner, NO_GAS } from './gas/ownerGasAccounts.ts'
import type { OrdersContext, ServedChain } from './ordersContext.ts'
import type { ChainWork, Loop } from './startOrders.ts'

/** Submitted bytes of an order with one recipient. */
const TYPICAL_BYTES = 1_000

/** Seconds of lateness from which an order counts as stuck. */
const STUCK_AFTER = 60

/** The service's view of a chain. */
export type ChainReport = Awaited<ReturnType<typeof reportChain>>

export async function reportChain(
  context: OrdersContext,
  { chain, ledger, search, sender, bundles, problems }: ChainWork,
) {
  const snapshot = chain.follower.latest()
  const orders = [...(snapshot?.book.open() ?? [])]
  const now = timeOf(context, chain)
  const due = orders.filter((order) => isDue(chain, order, now))
  const lateness = due.map((order) => now - dueSince(order, findNextStepTime(order) ?? now))
  /** Balance of the paying account in wei; null when it can't be read. */
  const gas = await chain.client.getBalance({ address: context.account }).catch(() => null)
  const { steps, ...checks } = Object.fromEntries(problems) as Partial<Record<Loop, ChainProblem>>
  return {
    name: chain.name,
    chainId: chain.chainId,
    vault: chain.vault,
    /** Block up to which orders were read; null before the first read. */
    blockNumber: snapshot?.head.number ?? null,
    orders: {
      total: snapshot?.book.size() ?? 0,
      active: orders.filter(({ facts }) => deriveOrderStatus(facts, now).status === 'active')
        .length,
      due: due.length,
    },
    /** Failed tranches, whose winner didn't deliver, count as refunded too. */
    tranches: snapshot?.book.totals() ?? NO_TOTALS,
    /** Tranches whose recipients the relayer has accepted since the start. */
    bundlesAccepted: bundles.accepted(chain.chainId),
    /** Seconds by which the latest step is late; 0 when none is. */
    lateness: Math.max(0, ...lateness),
    unpaidGas: unpaidGasOf(context, chain),
    ledger,
    unread: search.unread(),
    gas,
    /** Why steps may be late; null when nothing delays them. */
    problem: steps ?? (gas === 0n ? 'OUT_OF_GAS' : sender.report().problem),
    /** Why other work on the chain isn't done. */
    checks,
  }
}

/** The last day's gas on a chain that no fee covers yet. */
function unpaidGasOf(context: OrdersContext, chain: ServedChain) {
  const { settings } = context
  const snapshot = chain.follower.latest()
  const taken = snapshot === null ? 0 : calculateGasPaidPerOwner(context, snapshot).uncovered
  const { fund, close } = estimateOrderCallGas({ bytes: TYPICAL_BYTES, quorum: 1 })
  const funding = { kind: 'fundOrder', gas: fund, close } as const
  return {
    /** Daily limit for all owners together; fundings may use half of it. */
    limit: settings.unpaidGasOfAll,
    taken: BigInt(taken),
    /** Whether the service would pay now for the funding of an owner without a record. */
    paysFundings: decideGasPayment(funding, NO_GAS, taken, settings) === null,
    /** Due tranches that wait for the shared budget. */
    waiting: [...chain.waiting.values()].filter((why) => why === 'GAS_BUDGET_SPENT').length,
  }
}

/** An order whose next step is overdue. */
export type StuckOrder = ReturnType<typeof findStuckOrders>[number]

export function findStuckOrders(chain: ServedChain) {
  const snapshot = chain.follower.latest()
  if (snapshot === null) return []
  return [...snapshot.book.open()].flatMap((order) => {
    const at = findNextStepTime(order)
    const late = at === null ? 0 : snapshot.head.timestamp - dueSince(order, at)
    if (late < STUCK_AFTER) return []
    const { orderId, chainId } = order.facts
    const { name = 'unknown', problem = null } = chain.steps.get(orderId) ?? {}
    return [{ id: toApiOrderId(orderId), chainId, step: name, late, problem }]
  })
}

/** Unix seconds on a chain, as of its latest block. */
export function timeOf({ settings }: OrdersContext, { follower }: ServedChain): number {
  return follower.latest()?.head.timestamp ?? settings.now()
}

/** When a step became due: for an order that must be closed at once (`at` is 0), at its last tranche. */
function dueSince({ facts }: OrderState, at: number): number {
  return at === 0 ? (facts.lastFiredAt ?? facts.fundedAt) : at
}
