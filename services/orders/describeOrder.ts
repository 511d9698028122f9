import { findChainName } from '../../core/chain/chainNames.ts'
import { toApiOrderId } from '../../core/order/apiOrderId.ts'
import { calculateOrderAmounts } from '../../core/order/calculateOrderAmounts.ts'
import { countTranches } from '../../core/order/countTranches.ts'
import {
  countFailuresInARow,
  FAILURES_IN_A_ROW,
  findTrancheFiringTime,
} from '../../core/order/findTrancheFiringTime.ts'
import type { OrderState } from '../../core/order/orderState.ts'
import { deriveOrderStatus } from '../../core/order/orderStatus.ts'
import type { ServedChain } from './ordersContext.ts'

/** An order's public view, without recipients. Times in unix seconds. */
export type OrderDescription = ReturnType<typeof describeOrder>

export function describeOrder(chain: ServedChain, order: OrderState, now: number) {
  const { facts, tranches } = order
  const { spent, refunded, left } = calculateOrderAmounts(facts)
  const { status, stopReason } = deriveOrderStatus(facts, now)
  return {
    id: toApiOrderId(facts.orderId),
    vaultOrderId: facts.orderId,
    user: facts.owner,
    assetIn: facts.tokenA,
    assetOut: facts.tokenB,
    chainIn: findChainName(facts.chainId) ?? chain.name,
    chainOut: findChainName(facts.destChainId) ?? String(facts.destChainId),
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
    totalTranches: countTranches(facts.totalAmount, facts.amountPerPeriod),
    amountSpent: spent,
    amountRefunded: refunded,
    amountLeft: left,
    intentIds: tranches.map(({ intentId }) => intentId),
    createdAt: facts.fundedAt,
    updatedAt: facts.updatedAt,
    nextTrancheAt: status === 'active' ? findTrancheFiringTime(order) : null,
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
  return countFailuresInARow(order) >= FAILURES_IN_A_ROW ? 'TRANCHES_NOT_DELIVERED' : null
}
