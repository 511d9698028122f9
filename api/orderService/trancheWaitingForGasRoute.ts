import { z } from '@hono/zod-openapi'
import { getAddress } from 'viem'
import type { OrdersService } from '../../services/orders/ordersServiceTypes.ts'
import { type App, addEndpoint, success } from '../http/addEndpoint.ts'
import { address, count } from '../http/valueSchemas.ts'
import { orderIdInput } from './orderIdInput.ts'
import { missingOrder } from './readOrderRoutes.ts'
import { throwOrderApiError } from './throwOrderApiError.ts'

/** `GET /orders/{orderId}/tranche`: a tranche waiting for gas, for anyone to send. */
export function addTrancheWaitingForGasRoute(app: App, orders: OrdersService): void {
  addEndpoint(app, {
    method: 'get',
    path: '/orders/{orderId}/tranche',
    tag: 'Orders',
    summary: 'The signed call of a tranche that waits for gas',
    description:
      'Anyone may send it and pay its gas. Available while the order’s lastError is GAS_BUDGET_SPENT or OWNER_BRINGS_NO_FEE; otherwise 404 TRANCHE_NOT_WAITING, since the service fires due tranches itself.',
    params: z.object({ orderId: orderIdInput }),
    answer: success({
      n: count.describe('The tranche’s index, from 0.'),
      to: address,
      data: z.string().describe('Calldata, hex.'),
    }),
    failures: [404, 503],
    handler: async ({ orderId }) => {
      const tranche = await orders.waitingTranche(orderId).catch(throwOrderApiError)
      if (tranche === null) throw missingOrder(orders)
      const { n, to, data } = tranche
      return { n, to: getAddress(to), data }
    },
  })
}
