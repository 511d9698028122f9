import * as z from 'zod/mini'

const hex = z.templateLiteral(['0x', z.string()])
const amount = z.pipe(
  z.string().check(z.regex(/^\d{1,78}$/)),
  z.transform((text: string) => BigInt(text)),
)

/** A scheduled order as the service returns it. Amounts in base units. */
const orderSchema = z.looseObject({
  id: z.string(),
  vaultOrderId: hex,
  user: hex,
  assetIn: hex,
  assetOut: hex,
  chainIn: z.string(),
  chainOut: z.string(),
  sourceChainId: z.number(),
  destChainId: z.number(),
  totalAmountIn: amount,
  amountPerPeriod: amount,
  period: z.number(),
  startTime: z.number(),
  endTime: z.number(),
  status: z.enum(['active', 'completed', 'cancelled']),
  stopReason: z.nullable(z.enum(['filled', 'end_time', 'user_cancel'])),
  tranchesFilled: z.number(),
  totalTranches: z.number(),
  amountSpent: amount,
  amountRefunded: amount,
  amountLeft: amount,
  /** Bridge intent ids, one per fired tranche; in strict mode only for the owner. */
  intentIds: z.array(
    z.pipe(
      z.string(),
      z.transform((text: string) => BigInt(text)),
    ),
  ),
  nextTrancheAt: z.nullable(z.string()),
  fundingTxHash: hex,
  refundTxHash: z.nullable(hex),
  /** An error code; null if there is none. */
  lastError: z.nullable(z.string()),
  /** Returned to the owner only. */
  recipients: z.optional(z.array(hex)),
  amounts: z.optional(z.array(amount)),
})

export type ScheduledOrder = z.output<typeof orderSchema>

export const eciesKeyAnswer = z.object({ publicKey: z.string() })
export const addressAnswer = z.object({ address: hex })
export const orderAnswer = z.object({ order: orderSchema })
export const ordersAnswer = z.object({
  orders: z.array(orderSchema),
  total: z.number(),
  nextCursor: z.nullable(z.string()),
})

export type OrderPage = z.output<typeof ordersAnswer>
