import { z } from '@hono/zod-openapi'
import { getAddress } from 'viem'
import type { OrderDescription } from '../../services/orders/describeOrder.ts'
import type { OrderSecrets } from '../../services/orders/ordersServiceTypes.ts'
import { toIsoTime } from '../http/isoTime.ts'
import { address, amount, count, hash, moment, text } from '../http/valueSchemas.ts'

const seconds = count.describe('Unix seconds.')

/** The public record of an order. */
export const orderSchema = z
  .object({
    id: z.string().openapi({ example: 'twap-5f1e0c7a9b3d4e2f8a6b7c8d9e0f1a2b' }),
    vaultOrderId: z.string().describe('The order’s id in the vault, 32 bytes.'),
    user: address,
    assetIn: address,
    assetOut: address,
    chainIn: z.string(),
    chainOut: z.string(),
    sourceChainId: count,
    destChainId: count,
    totalAmountIn: amount,
    amountPerPeriod: amount,
    expectedAmountOut: amount.describe('The least that each tranche delivers.'),
    period: count.describe('Seconds.'),
    startTime: seconds,
    endTime: seconds,
    status: z.enum(['active', 'completed', 'cancelled']),
    stopReason: z.enum(['filled', 'end_time', 'user_cancel']).nullable(),
    tranchesFilled: count,
    totalTranches: count,
    amountSpent: amount,
    amountRefunded: amount,
    amountLeft: amount.describe(
      'Still in the vault. amountSpent + amountRefunded + this is totalAmountIn.',
    ),
    intentIds: z.array(z.string()).describe('One per fired tranche.'),
    createdAt: moment,
    updatedAt: moment,
    nextTrancheAt: moment.nullable(),
    fundingTxHash: hash,
    refundTxHash: hash.nullable(),
    lastError: text
      .nullable()
      .describe(
        'A stable code. Null if there is no error. TRANCHES_NOT_DELIVERED: nobody delivered the last three or more.',
      ),
    recipients: z.array(address).optional().describe('For the owner only.'),
    amounts: z.array(amount).optional().describe('For the owner only.'),
  })
  .openapi('Order')

type OrderRecord = z.infer<typeof orderSchema>

/**
 * An order as JSON.
 *
 * @param secrets shown to the owner only
 */
export function renderOrder(order: OrderDescription, secrets?: OrderSecrets): OrderRecord {
  return {
    ...order,
    user: getAddress(order.user),
    assetIn: getAddress(order.assetIn),
    assetOut: getAddress(order.assetOut),
    totalAmountIn: String(order.totalAmountIn),
    amountPerPeriod: String(order.amountPerPeriod),
    expectedAmountOut: String(order.expectedAmountOut),
    amountSpent: String(order.amountSpent),
    amountRefunded: String(order.amountRefunded),
    amountLeft: String(order.amountLeft),
    intentIds: order.intentIds.map(String),
    createdAt: toIsoTime(order.createdAt),
    updatedAt: toIsoTime(order.updatedAt),
    nextTrancheAt: order.nextTrancheAt === null ? null : toIsoTime(order.nextTrancheAt),
    ...(secrets && {
      recipients: secrets.recipients.map((one) => getAddress(one)),
      amounts: secrets.amounts.map(String),
    }),
  }
}
