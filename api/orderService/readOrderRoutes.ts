import { z } from '@hono/zod-openapi'
import type { OrdersService, OwnerClaim } from '../../services/orders/ordersServiceTypes.ts'
import type { Hex } from '../../src/event/bridgeEvent.ts'
import { type App, addEndpoint, success } from '../http/addEndpoint.ts'
import { NotFoundError, UnavailableError } from '../http/apiError.ts'
import {
  freshTimestamp,
  headerText,
  signatureHeader,
  timestampHeader,
} from '../http/auth/signatureHeaders.ts'
import type { ApiContext } from '../http/honoEnvironment.ts'
import { addressInput, count, limitInput } from '../http/valueSchemas.ts'
import { orderIdInput } from './orderIdInput.ts'
import { orderSchema, renderOrder } from './orderSchema.ts'
import { throwOrderApiError } from './throwOrderApiError.ts'

const listQuery = z.strictObject({
  user: addressInput,
  limit: limitInput(20, 100),
  cursor: z
    .string()
    .regex(/^[0-9]{12}[0-9a-f]{32}$/, 'expected nextCursor of the page before')
    .optional(),
})

/** `GET /orders/{orderId}` and `GET /orders?user=`. */
export function addReadOrderRoutes(app: App, orders: OrdersService): void {
  addEndpoint(app, {
    method: 'get',
    path: '/orders/{orderId}',
    tag: 'Orders',
    summary: 'One order',
    description: 'Anyone may read it. Only the owner’s X-Signature shows its recipients.',
    params: z.object({ orderId: orderIdInput }),
    headers: ownersHeaders,
    answer: success({ order: orderSchema }),
    failures: [404, 503],
    handler: async ({ orderId }, c) => {
      const order = orders.find(orderId)
      if (order === null) throw missingOrder(orders)
      // The owner may have signed either of the order's ids.
      const word = ownerClaim(c, c.req.param('orderId') ?? orderId)
      if (word === null) return { order: renderOrder(order) }
      const secrets = await orders.readSecrets(orderId, word).catch(throwOrderApiError)
      return { order: renderOrder(order, secrets) }
    },
  })
  addEndpoint(app, {
    method: 'get',
    path: '/orders',
    tag: 'Orders',
    summary: 'A user’s orders, newest first',
    description: 'Never shows recipients.',
    query: listQuery,
    answer: success({
      orders: z.array(orderSchema),
      total: count,
      nextCursor: z.string().nullable(),
    }),
    failures: [503],
    handler: async ({ user, limit, cursor = null }) => {
      if (!orders.isReady()) throw notReady()
      const page = orders.list(user, { limit, cursor })
      return { ...page, orders: page.orders.map((order) => renderOrder(order)) }
    },
  })
}

/** The error for an order that is unknown, perhaps only until the chains are read. */
export function missingOrder(orders: OrdersService) {
  if (!orders.isReady()) return notReady()
  return new NotFoundError('there is no such order', 'ORDER_NOT_FOUND')
}

function notReady() {
  return new UnavailableError('the chains’ orders are being read: try again', 'INDEX_NOT_READY', 2)
}

const ownersHeaders = z.object({
  'x-signature': headerText(
    'The owner’s EIP-191 signature of TWAP_READ:<orderId>:<timestamp>. Shows the recipients.',
  ),
  'x-timestamp': timestampHeader,
})

/** The claimed owner; null without the headers. */
function ownerClaim(c: ApiContext, orderId: string): OwnerClaim | null {
  const signature = signatureHeader(c, 'x-signature')
  if (signature === null) return null
  const timestamp = freshTimestamp(c, Math.floor(Date.now() / 1_000))
  return { message: `TWAP_READ:${orderId}:${timestamp}`, signature: signature as Hex }
}
