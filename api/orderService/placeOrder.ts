import { z } from '@hono/zod-openapi'
import type { OrdersService } from '../../services/orders/ordersService.ts'
import { type App, addEndpoint } from '../http/addEndpoint.ts'
import { BadRequestError } from '../http/apiError.ts'
import { orderSchema, renderOrder } from './orderSchema.ts'
import { ordersFailure } from './ordersFailure.ts'
import { hexOf, readSignature, signedFields } from './signedBody.ts'

const body = z
  .strictObject({
    encrypted: z.string().min(1).max(62_000).openapi({
      description: 'ECIES ciphertext, hex, of the order’s JSON, for the key of GET /ecies-pubkey.',
      example: '0x04…',
    }),
    ...signedFields,
  })
  .openapi('PlaceOrderRequest')

/** `POST /orders`: funds an order and begins it. */
export function addPlaceOrder(app: App, orders: OrdersService): void {
  addEndpoint(app, {
    method: 'post',
    path: '/orders',
    tag: 'Orders',
    summary: 'Place an order',
    description:
      'Approve the vault first. The order is decrypted, its user’s signature checked, and totalAmountIn moved to the vault; the answer comes when that is in a block. The signed message must contain the 64 hex digits of keccak256(encrypted): best TWAP_ORDER:<digits>:<sourceChainId>:<expiry, unix seconds>. The same request again answers with the same order. A refused order stays refused: encrypt it again. Codes of 400: DECRYPTION_FAILED, INVALID_SIGNATURE, SIGNER_MISMATCH, VALIDATION_FAILED (details.field), FUNDING_FAILED (details.reason: allowance, balance, or the token’s own words), GAS_NOT_PAID (the order is good: send details.data to details.to yourself before details.deadline).',
    body,
    answer: z.object({ success: z.literal(true), orderId: z.string(), order: orderSchema }),
    failures: [503],
    handler: async (given) => {
      const { message } = given
      const signature = readSignature(given.signature)
      const encrypted = hexOf(given.encrypted)
      if (encrypted === null) {
        throw new BadRequestError('encrypted: expected bytes as hex', 'DECRYPTION_FAILED')
      }
      const placed = await orders.place({ encrypted, message, signature }).catch(ordersFailure)
      const order = renderOrder(placed, { intents: true })
      return { orderId: order.id, order }
    },
  })
}
