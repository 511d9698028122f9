import { z } from '@hono/zod-openapi'
import { findChainName } from '../../../core/chain/chainNames.ts'
import { toApiOrderId } from '../../../core/order/apiOrderId.ts'
import { calculateOrderAmounts } from '../../../core/order/calculateOrderAmounts.ts'
import { countTranches } from '../../../core/order/countTranches.ts'
import { findNextTrancheTime } from '../../../core/order/findNextTrancheTime.ts'
import { deriveOrderStatus, ORDER_STATUSES } from '../../../core/order/orderStatus.ts'
import type { ChainHeads } from '../../../services/store/chains/readChainStates.ts'
import type { OrderFacts } from '../../../src/order/orderFacts.ts'
import type { TrancheRow } from '../../../src/projection/rowTypes.ts'
import { toIsoTime, toIsoTimeOrNull } from '../../http/isoTime.ts'
import { toChecksumAddress } from '../../http/toChecksumAddress.ts'
import {
  address,
  amount,
  chainName,
  count,
  flag,
  hash,
  intentId,
  moment,
} from '../../http/valueSchemas.ts'

/** A scheduled order as on chain, without its recipients. */
export const indexedOrderSchema = z
  .object({
    id: z.string().openapi({ example: 'twap-5f1e0c7a9b3d4e2f8a6b7c8d9e0f1a2b' }),
    vaultOrderId: hash,
    user: address,
    assetIn: address,
    assetOut: address,
    chainIn: chainName,
    chainOut: chainName,
    sourceChainId: z.string(),
    destChainId: z.string(),
    totalAmountIn: amount,
    amountPerPeriod: amount,
    expectedAmountOut: amount.describe('The least that each tranche delivers.'),
    period: count.describe('Seconds.'),
    startTime: moment,
    endTime: moment,
    status: z.enum(ORDER_STATUSES as [string, ...string[]]),
    stopReason: z.enum(['filled', 'end_time', 'user_cancel']).nullable(),
    isClosed: flag.describe(
      'Whether the vault has paid out the rest. A stopped order stays open until someone closes it.',
    ),
    totalTranches: count,
    tranchesFilled: count,
    tranchesCompleted: count,
    tranchesRefunded: count,
    amountSpent: amount,
    amountRefunded: amount,
    amountLeft: amount.describe('Still in the vault. The three amounts add up to totalAmountIn.'),
    nextTrancheAt: moment.nullable(),
    fundingTxHash: hash,
    createdAt: moment,
    refundTxHash: hash.nullable().describe('The transaction that closed the order.'),
    updatedAt: moment,
  })
  .openapi('IndexedOrder')

export type IndexedOrder = z.infer<typeof indexedOrderSchema>

export const trancheSchema = z.object({
  trancheIndex: count.describe('The tranche’s number, from 0.'),
  intentId,
  firedAt: moment,
  firedTxHash: hash,
})

/** An order as JSON, at its chain's current time. */
export function renderIndexedOrder(order: OrderFacts, heads: ChainHeads): IndexedOrder {
  const { spent, refunded, left } = calculateOrderAmounts(order)
  return {
    id: toApiOrderId(order.orderId),
    vaultOrderId: order.orderId,
    user: toChecksumAddress(order.owner),
    assetIn: toChecksumAddress(order.tokenA),
    assetOut: toChecksumAddress(order.tokenB),
    chainIn: findChainName(order.chainId),
    chainOut: findChainName(order.destChainId),
    sourceChainId: String(order.chainId),
    destChainId: String(order.destChainId),
    totalAmountIn: String(order.totalAmount),
    amountPerPeriod: String(order.amountPerPeriod),
    expectedAmountOut: String(order.expectedAmountB),
    period: order.period,
    startTime: toIsoTime(order.startTime),
    endTime: toIsoTime(order.endTime),
    ...deriveOrderStatus(order, heads.get(order.chainId)?.timestamp ?? null),
    totalTranches: countTranches(order.totalAmount, order.amountPerPeriod),
    tranchesFilled: order.tranchesFired,
    tranchesCompleted: order.tranchesCompleted,
    tranchesRefunded: order.tranchesRefunded,
    amountSpent: String(spent),
    amountRefunded: String(refunded),
    amountLeft: String(left),
    nextTrancheAt: toIsoTimeOrNull(findNextTrancheTime(order)),
    fundingTxHash: order.fundTxHash,
    createdAt: toIsoTime(order.fundedAt),
    refundTxHash: order.closeTxHash,
    updatedAt: toIsoTime(order.updatedAt),
  }
}

export function renderTranche(tranche: TrancheRow): z.infer<typeof trancheSchema> {
  const { trancheIndex, firedTxHash } = tranche
  return {
    trancheIndex,
    intentId: String(tranche.intentId),
    firedAt: toIsoTime(tranche.firedAt),
    firedTxHash,
  }
}
