import { apiOrderId } from '../../core/order/apiOrderId.ts'
import { timeOfNextCheck } from '../../core/order/decideOrder.ts'
import type { OrderState } from '../../core/order/orderState.ts'
import { orderStatus } from '../../core/order/orderStatus.ts'
import { decideGas } from './act/decideGas.ts'
import { NO_GAS } from './act/gasAccount.ts'
import { gasOfCalls } from './act/gasMinimum.ts'
import { gasUsedOnChain } from './act/gasUsedOnChain.ts'
import { isDue } from './act/takeOrderSteps.ts'
import type { OrdersContext, ServedChain } from './ordersContext.ts'
import type { ChainWork } from './startOrders.ts'

/** Bytes that are submitted for an order of one recipient. */
const USUAL_BYTES = 1_000

/** Seconds by which a step may be late before it counts as stuck. */
const PATIENCE = 60

/** A chain's state, as the service sees it. */
export type ChainReport = Awaited<ReturnType<typeof chainReport>>

/** What the service sees of a chain. */
export async function chainReport(
  context: OrdersContext,
  { chain, ledger, sender, bundles, problem }: ChainWork,
) {
  const followed = chain.follower.latest()
  const orders = [...(followed?.book.all() ?? [])]
  const now = timeOf(context, chain)
  const due = orders.filter((order) => isDue(chain, order, now))
  const lateness = due.map((order) => now - lateFrom(order, timeOfNextCheck(order) ?? now))
  /** Wei of the account that pays; null when it can't be asked. */
  const gas = await chain.client.getBalance({ address: context.account }).catch(() => null)
  const sum = (of: (order: OrderState) => number) =>
    orders.reduce((total, order) => total + of(order), 0)
  return {
    ...{ name: chain.name, chainId: chain.chainId, vault: chain.vault },
    /** Block up to which orders are known; null while none was read. */
    blockNumber: followed?.head.number ?? null,
    orders: {
      total: orders.length,
      active: orders.filter(({ facts }) => orderStatus(facts, now).status === 'active').length,
      due: due.length,
    },
    /** The failed ones, whose winner didn't deliver, are among the refunded. */
    tranches: {
      fired: sum(({ facts }) => facts.tranchesFired),
      settled: sum(({ facts }) => facts.tranchesCompleted),
      refunded: sum(({ facts }) => facts.tranchesRefunded),
      failed: sum(({ tranches }) => tranches.filter(({ outcome }) => outcome === 'failed').length),
    },
    /** Tranches whose recipients the relayer has accepted since the start. */
    bundlesAccepted: bundles.accepted(chain.chainId),
    /** Seconds by which the longest due step is late; 0 when none is. */
    lateness: Math.max(0, ...lateness),
    unpaidGas: unpaidGasOf(context, chain),
    ...{ ledger, gas },
    /** What keeps it from working; null when nothing does. */
    problem: problem ?? (gas === 0n ? 'OUT_OF_GAS' : sender.report().problem),
  }
}

/** Gas of the last day that the service gives away, or lends until a tranche is delivered, on one chain. */
function unpaidGasOf(context: OrdersContext, chain: ServedChain) {
  const { settings } = context
  const followed = chain.follower.latest()
  const taken = followed === null ? 0 : gasUsedOnChain(context, followed).uncovered
  const { fund, close } = gasOfCalls({ bytes: USUAL_BYTES, quorum: 1 })
  const funding = { kind: 'fundOrder', gas: fund, close } as const
  return {
    /** What all owners together may take in a day; fundings get half of it. */
    limit: settings.unpaidGasOfAll,
    taken: BigInt(taken),
    /** Whether an owner without a record has a funding paid for now. */
    paysFundings: decideGas(funding, NO_GAS, taken, settings) === null,
    /** Due tranches that wait for it. */
    waiting: [...chain.waiting.values()].filter((why) => why === 'GAS_BUDGET_SPENT').length,
  }
}

/** An order whose next step should have been taken, and by how many seconds it is late. */
export type StuckOrder = ReturnType<typeof stuckOrders>[number]

/** The orders of a chain whose next step should have been taken. */
export function stuckOrders(chain: ServedChain) {
  const followed = chain.follower.latest()
  if (followed === null) return []
  return [...followed.book.all()].flatMap((order) => {
    const at = timeOfNextCheck(order)
    const late = at === null ? 0 : followed.head.timestamp - lateFrom(order, at)
    if (late < PATIENCE) return []
    const { orderId, chainId } = order.facts
    const { name = 'unknown', problem = null } = chain.steps.get(orderId) ?? {}
    return [{ id: apiOrderId(orderId), chainId, step: name, late, problem }]
  })
}

/** Unix seconds on a chain, as of its latest block. */
export function timeOf({ settings }: OrdersContext, { follower }: ServedChain): number {
  return follower.latest()?.head.timestamp ?? settings.now()
}

/** Since when a step is due: for an order that must be closed at once, since its last tranche. */
function lateFrom({ facts }: OrderState, at: number): number {
  return at === 0 ? (facts.lastFiredAt ?? facts.fundedAt) : at
}
