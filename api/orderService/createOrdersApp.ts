import type { Registry } from 'prom-client'
import type { OrdersService } from '../../services/orders/ordersService.ts'
import type { App } from '../http/addEndpoint.ts'
import { type BaseAppOptions, baseApp } from '../http/baseApp.ts'
import { serveDocs } from '../http/docs/serveDocs.ts'
import { addCancel } from './cancelOrder.ts'
import { addOrdersHealth } from './health.ts'
import { addKeys } from './keys.ts'
import { addPlaceOrder } from './placeOrder.ts'
import { addReadOrders } from './readOrders.ts'
import { addStuckOrders } from './stuckOrders.ts'
import { addWaitingTranche } from './waitingTranche.ts'

type OrdersAppOptions = Omit<BaseAppOptions, 'compressor' | 'isPublic'> & {
  orders: OrdersService
  metrics: Registry
}

/**
 * The scheduled-order service's endpoints, with ids, limits and errors as everywhere else. Every path also
 * answers under `/v1`.
 */
export function createOrdersApp(options: OrdersAppOptions): App {
  const { orders, metrics, ...http } = options
  const app = baseApp({ ...http, isPublic: true })
  addKeys(app, orders)
  addPlaceOrder(app, orders)
  addReadOrders(app, orders)
  addCancel(app, orders)
  addOrdersHealth(app, orders)
  addStuckOrders(app, orders)
  addWaitingTranche(app, orders)
  app.get('/metrics', async (c) => {
    c.set('route', '/metrics')
    return c.body(await metrics.metrics(), 200, { 'content-type': metrics.contentType })
  })
  serveDocs(app)
  app.doc31('/openapi.json', {
    openapi: '3.1.0',
    info: {
      title: 'Cairn scheduled orders',
      version: '1',
      description:
        'Splits one deposit into tranches, each an intent of its owner. The owner approves the vault of GET /address, encrypts the order to the key of GET /ecies-pubkey and sends it. Amounts are decimal strings in token base units. Every path also answers under /v1.',
      license: { name: 'MIT', url: 'https://opensource.org/license/mit' },
    },
    servers: [{ url: '.' }],
  })
  return app
}
