import { chainNameOf } from '../../core/chain/names.ts'
import { amountsOf } from '../../core/order/amountsOf.ts'
import { apiOrderId } from '../../core/order/apiOrderId.ts'
import { dueAt, FAILURES_IN_A_ROW, failuresInARow } from '../../core/order/dueAt.ts'
import type { OrderState } from '../../core/order/orderState.ts'
import { orderStatus } from '../../core/order/orderStatus.ts'
import { totalTranches } from '../../core/order/totalTranches.ts'
import type { ServedChain } from './ordersContext.ts'

/** An order's public view, without recipients. Times in unix seconds. */
export type OrderDescription = ReturnType<typeof describeOrder>

/** Describes an order at a time of its chain. */
export function describeOrder(chain: ServedChain, order: OrderState, now: number) {
  const { facts, tranches } = order
  const { spent, refunded, left } = amountsOf(facts)
  const { status, stopReason } = orderStatus(facts, now)
  return {
    id: apiOrderId(facts.orderId),
    /** The vault's id. */
    vaultOrderId: facts.orderId,
    user: facts.owner,
    assetIn: facts.tokenA,
    assetOut: facts.tokenB,
    chainIn: chainNameOf(facts.chainId) ?? chain.name,
    chainOut: chainNameOf(facts.destChainId) ?? String(facts.destChainId),
    sourceChainId: facts.chainId,
    destChainId: facts.destChainId,
    totalAmountIn: facts.totalAmount,
    amountPerPeriod: facts.amountPerPeriod,
    /** Minimum delivered per tranche, in base units of assetOut. */
    expectedAmountOut: facts.expectedAmountB,
    period: facts.period,
    startTime: facts.startTime,
    endTime: facts.endTime,
    status,
    stopReason,
    tranchesFilled: facts.tranchesFired,
    totalTranches: totalTranches(facts.totalAmount, facts.amountPerPeriod),
    amountSpent: spent,
    amountRefunded: refunded,
    amountLeft: left,
    intentIds: tranches.map(({ intentId }) => intentId),
    createdAt: facts.fundedAt,
    updatedAt: facts.updatedAt,
    nextTrancheAt: status === 'active' ? dueAt(order) : null,
    fundingTxHash: facts.fundTxHash,
    refundTxHash: facts.closeTxHash,
    /** A code; null if there is none. */
    lastError: lastErrorOf(chain, order, status === 'active'),
  }
}

function lastErrorOf(chain: ServedChain, order: OrderState, isActive: boolean): string | null {
  const { orderId, tokenA } = order.facts
  const problem = chain.steps.get(orderId)?.problem ?? null
  if (problem !== null) return problem
  if (isActive && chain.halted.has(tokenA)) return 'LEDGER_SHORTFALL'
  return failuresInARow(order) >= FAILURES_IN_A_ROW ? 'TRANCHES_NOT_DELIVERED' : null
}
