import { z } from '@hono/zod-openapi'
import type { OrdersService } from '../../services/orders/ordersServiceTypes.ts'
import { type App, addEndpoint, success } from '../http/addEndpoint.ts'

const answer = success({
  orders: z.array(
    z.object({
      id: z.string(),
      chainId: z.string(),
      step: z.string(),
      late: z.number().describe('Seconds since it was due.'),
      problem: z.string().nullable(),
    }),
  ),
})

/** `GET /stuck`: orders whose next step is overdue by a minute or more. */
export function addStuckOrdersRoute(app: App, orders: OrdersService): void {
  addEndpoint(app, {
    method: 'get',
    path: '/stuck',
    tag: 'Service',
    summary: 'Orders that are stuck',
    answer,
    handler: async () => {
      const stuck = orders.stuck().map((one) => ({ ...one, chainId: String(one.chainId) }))
      return { orders: stuck }
    },
  })
}
