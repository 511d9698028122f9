import * as z from 'zod/mini'
import { STATUSES } from '../../core/intent/status.ts'
import { INTENT_PUSH_TYPES, ORDER_PUSH_TYPES } from '../../core/push/pushEvent.ts'
import { listOf } from '../../core/validation/listOf.ts'

const digits = z.string().check(z.regex(/^\d{1,78}$/))
const address = z.string().check(z.regex(/^0x[0-9a-fA-F]{40}$/))

const chainEvent = z.nullable(
  z.object({
    type: z.string(),
    chainId: digits,
    blockNumber: z.int(),
    blockHash: z.string(),
    logIndex: z.int(),
    transactionHash: z.string(),
  }),
)

const intentData = z.object({
  intentId: digits,
  sourceChainId: digits,
  destChainId: digits,
  sender: address,
  solver: z.nullable(address),
  tokenA: address,
  tokenB: address,
  amountA: digits,
  expectedAmountB: digits,
  reward: digits,
  status: z.nullable(z.enum(STATUSES)),
  substatus: z.nullable(z.string()),
  occurredAt: z.string(),
  chainEvent,
  reverted: z.exactOptional(listOf(z.string())),
})

const orderData = z.object({
  orderId: z.string(),
  chainId: digits,
  destChainId: digits,
  owner: address,
  status: z.enum(['active', 'completed', 'cancelled']),
  intentId: z.nullable(digits),
  occurredAt: z.string(),
  chainEvent,
})

const head = { id: z.string(), timestamp: z.string() }

/** An event as the relayer sends it: core's `PushEvent`. */
export const pushEventSchema = z.discriminatedUnion('type', [
  z.object({ ...head, type: z.enum(INTENT_PUSH_TYPES), data: intentData }),
  z.object({ ...head, type: z.enum(ORDER_PUSH_TYPES), data: orderData }),
])

/** An event of any type, including types that later relayers add. */
export const typedEventSchema = z.object({ type: z.string() })
