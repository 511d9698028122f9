import * as z from 'zod/mini'
import { listOf } from '../../core/validation/listOf.ts'
import { address, hex, integer, key } from '../relayer/relayerResponses.ts'

const orderSchema = z.object({
  id: z.string(),
  vaultOrderId: hex,
  user: address,
  assetIn: address,
  assetOut: address,
  chainIn: z.string(),
  chainOut: z.string(),
  sourceChainId: z.int(),
  destChainId: z.int(),
  totalAmountIn: integer,
  amountPerPeriod: integer,
  /** The least that each tranche delivers, in base units of assetOut. */
  expectedAmountOut: integer,
  /** Seconds. */
  period: z.int(),
  /** Unix seconds, like `endTime`. */
  startTime: z.int(),
  endTime: z.int(),
  status: z.enum(['active', 'completed', 'cancelled']),
  stopReason: z.nullable(z.enum(['filled', 'end_time', 'user_cancel'])),
  tranchesFilled: z.int(),
  totalTranches: z.number(),
  amountSpent: integer,
  amountRefunded: integer,
  amountLeft: integer,
  /** Bridge intent ids, one per fired tranche. */
  intentIds: listOf(integer),
  /** ISO 8601, like `updatedAt`. */
  createdAt: z.string(),
  updatedAt: z.string(),
  /** ISO 8601; null once no more is due. */
  nextTrancheAt: z.nullable(z.string()),
  fundingTxHash: hex,
  refundTxHash: z.nullable(hex),
  /** An error code; null if there is none. */
  lastError: z.nullable(z.string()),
  /** Returned to the owner only. */
  recipients: z.optional(listOf(address)),
  amounts: z.optional(listOf(integer)),
})

/** A scheduled order as the service returns it. Amounts in base units. */
export type ScheduledOrder = z.output<typeof orderSchema>

/** A service may be older than the signature. */
export const orderKeyAnswer = z.object({
  publicKey: key,
  signer: z.optional(address),
  signature: z.optional(hex),
})
export type OrderKey = z.output<typeof orderKeyAnswer>

export const addressAnswer = z.object({ address })
export const orderAnswer = z.object({ order: orderSchema })
export const ordersAnswer = z.object({
  orders: listOf(orderSchema),
  total: z.number(),
  nextCursor: z.nullable(z.string()),
})

export type OrderPage = z.output<typeof ordersAnswer>
