import { z } from '@hono/zod-openapi'
import type { OrdersService } from '../../services/orders/ordersServiceTypes.ts'
import { type App, addEndpoint, success } from '../http/addEndpoint.ts'
import { BadRequestError } from '../http/apiError.ts'
import { orderSchema, renderOrder } from './orderSchema.ts'
import { hexOf, readSignature, signedBodyFields } from './signedBodyFields.ts'
import { throwOrderApiError } from './throwOrderApiError.ts'

const body = z
  .strictObject({
    encrypted: z.string().min(1).max(62_000).openapi({
      description:
        'The order’s JSON as ECIES ciphertext in hex, encrypted to the key of GET /ecies-pubkey.',
      example: '0x04…',
    }),
    ...signedBodyFields,
  })
  .openapi('PlaceOrderRequest')

/** `POST /orders`: funds an order, which starts it. */
export function addPlaceOrderRoute(app: App, orders: OrdersService): void {
  addEndpoint(app, {
    method: 'post',
    path: '/orders',
    tag: 'Orders',
    summary: 'Place an order',
    description:
      'Approve the vault first. The service decrypts the order, checks the user’s signature and moves totalAmountIn to the vault. It answers once that is in a block. The signed message must contain the 64 hex digits of keccak256(encrypted); best is TWAP_ORDER:<digits>:<sourceChainId>:<expiry in Unix seconds>. Repeating the request returns the same order. After VALIDATION_FAILED or FUNDING_FAILED an order stays refused: encrypt it again. Codes of 400: DECRYPTION_FAILED, INVALID_SIGNATURE, SIGNER_MISMATCH, VALIDATION_FAILED (details.field), FUNDING_FAILED (details.reason: allowance, balance, or the token’s own words), GAS_NOT_PAID (the order is good: send details.data to the vault yourself before details.deadline). Codes of 503: FUNDING_PENDING (repeat the request to see its result), OUT_OF_GAS, RPC_UNREACHABLE, ENCLAVE_UNREACHABLE, CLOCKS_DIFFER (the service’s clock, an enclave’s or the chain’s is minutes off).',
    body,
    answer: success({ orderId: z.string(), order: orderSchema }),
    failures: [503],
    handler: async (given) => {
      const { message } = given
      const signature = readSignature(given.signature)
      const encrypted = hexOf(given.encrypted)
      if (encrypted === null) {
        throw new BadRequestError('encrypted: expected bytes as hex', 'DECRYPTION_FAILED')
      }
      const placed = await orders.place({ encrypted, message, signature }).catch(throwOrderApiError)
      const order = renderOrder(placed)
      return { orderId: order.id, order }
    },
  })
}
