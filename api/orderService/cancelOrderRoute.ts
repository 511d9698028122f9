import { z } from '@hono/zod-openapi'
import type { OrdersService } from '../../services/orders/ordersServiceTypes.ts'
import { type App, addEndpoint, success } from '../http/addEndpoint.ts'
import { orderIdInput } from './orderIdInput.ts'
import { orderSchema, renderOrder } from './orderSchema.ts'
import { missingOrder } from './readOrderRoutes.ts'
import { readSignature, signedBodyFields } from './signedBodyFields.ts'
import { throwOrderApiError } from './throwOrderApiError.ts'

const body = z.strictObject(signedBodyFields).openapi('CancelOrderRequest')

/** `POST /orders/{orderId}/cancel`. */
export function addCancelOrderRoute(app: App, orders: OrdersService): void {
  addEndpoint(app, {
    method: 'post',
    path: '/orders/{orderId}/cancel',
    tag: 'Orders',
    summary: 'Cancel an order',
    description:
      'The owner signs TWAP_CANCEL:<orderId>:<expiry in Unix seconds>, or any text that contains the order’s id. No more tranches are fired and the vault returns the rest. Fired tranches continue. For an order that has ended, returns it unchanged. Without this service, call the vault’s closeOrder.',
    params: z.object({ orderId: orderIdInput }),
    body,
    answer: success({ orderId: z.string(), order: orderSchema }),
    failures: [404, 503],
    handler: async ({ orderId, message, ...given }) => {
      const signature = readSignature(given.signature)
      const cancelled = await orders
        .cancel(orderId, { message, signature })
        .catch(throwOrderApiError)
      if (cancelled === null) throw missingOrder(orders)
      const order = renderOrder(cancelled)
      return { orderId: order.id, order }
    },
  })
}
