import { z } from '@hono/zod-openapi'
import { parseOrderId } from '../../../core/order/apiOrderId.ts'
import { ORDER_STATUSES } from '../../../core/order/orderStatus.ts'
import { findOrder } from '../../../services/store/orders/findOrder.ts'
import { loadTranches } from '../../../services/store/orders/loadTranches.ts'
import { ORDERS } from '../../../services/store/orders/scheduledOrders.ts'
import { type App, addEndpoint, success } from '../../http/addEndpoint.ts'
import { NotFoundError } from '../../http/apiError.ts'
import {
  addressInput,
  chainInput,
  count,
  cursorInput,
  limitInput,
} from '../../http/valueSchemas.ts'
import { chainsToRead, type ReadContext } from '../readContext.ts'
import {
  indexedOrderSchema,
  renderIndexedOrder,
  renderTranche,
  trancheSchema,
} from './indexedOrderSchemas.ts'

const MAX_LIMIT = 100
const DEFAULT_LIMIT = 20
const MAX_TRANCHES = 1_000

const orderIdInput = z
  .string()
  .transform((text, context) => {
    const range = parseOrderId(text)
    if (range) return range
    context.addIssue({ code: 'custom', message: 'expected an order id: twap- and 32 hex digits' })
    return z.NEVER
  })
  .openapi({ type: 'string', example: 'twap-5f1e0c7a9b3d4e2f8a6b7c8d9e0f1a2b' })

const listQuery = z.strictObject({
  user: addressInput.optional(),
  status: z.enum(ORDER_STATUSES as ['active', 'completed', 'cancelled']).optional(),
  sourceChainId: chainInput.optional(),
  limit: limitInput(DEFAULT_LIMIT, MAX_LIMIT),
  cursor: cursorInput,
})

/** `GET /order-details/{orderId}` and `GET /order-details`: scheduled orders, from the index. */
export function addIndexedOrderRoutes(app: App, reads: ReadContext): void {
  addOne(app, reads)
  addList(app, reads)
}

function addOne(app: App, reads: ReadContext): void {
  addEndpoint(app, {
    method: 'get',
    path: '/order-details/{orderId}',
    tag: 'Scheduled orders',
    summary: 'A scheduled order, read from the chain',
    description:
      'Takes the order service’s id (twap-…) or the vault’s. Works without the order service. Never shows recipients.',
    params: z.strictObject({ orderId: orderIdInput }),
    query: z.strictObject({ sourceChainId: chainInput.optional() }),
    answer: success({
      order: indexedOrderSchema.extend({
        tranches: z.array(trancheSchema).describe('The first 1,000.'),
      }),
    }),
    failures: [404, 503],
    isConditional: true,
    handler: async (input) => {
      const { heads } = await chainsToRead(reads)
      const order = await findOrder(reads.db, input.orderId, input.sourceChainId)
      if (!order) throw new NotFoundError('no vault has this order', 'ORDER_NOT_FOUND')
      const page = { after: -1, limit: MAX_TRANCHES }
      const tranches = await loadTranches(reads.db, [order], page)
      return {
        order: { ...renderIndexedOrder(order, heads), tranches: tranches.map(renderTranche) },
      }
    },
  })
}

function addList(app: App, reads: ReadContext): void {
  addEndpoint(app, {
    method: 'get',
    path: '/order-details',
    tag: 'Scheduled orders',
    summary: 'Scheduled orders, read from the chain, newest first',
    query: listQuery,
    answer: success({
      orders: z.array(indexedOrderSchema),
      total: count,
      nextCursor: z.string().nullable(),
    }),
    failures: [503],
    isConditional: true,
    handler: async (query) => {
      const { user: owner, status, sourceChainId: chainId, limit, cursor } = query
      const { heads } = await chainsToRead(reads)
      const asked = { filter: { owner, status, chainId }, heads }
      const after = cursor === undefined ? undefined : ORDERS.placeIn(cursor)
      const page = { direction: 'desc', fromEnd: false, limit: limit + 1, after } as const
      const [rows, total] = await Promise.all([
        ORDERS.list(reads.db, asked, page),
        ORDERS.count(reads.db, asked),
      ])
      const last = rows.length > limit ? rows[limit - 1] : undefined
      return {
        orders: rows.slice(0, limit).map((one) => renderIndexedOrder(one, heads)),
        total,
        nextCursor: last ? ORDERS.cursorOf(last) : null,
      }
    },
  })
}
