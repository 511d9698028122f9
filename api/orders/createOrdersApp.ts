import { OpenAPIHono } from '@hono/zod-openapi'
import { cors } from 'hono/cors'
import type { Registry } from 'prom-client'
import type { OrdersService } from '../../services/orders/ordersService.ts'
import type { ApiEnv } from '../http/apiEnv.ts'
import { EXPOSED, type Failure, versionlessPath } from '../http/createApp.ts'
import { serveDocs } from '../http/docs/serveDocs.ts'
import { errorResponse } from '../http/errorResponse.ts'
import type { Trusts } from '../http/limits/clientAddress.ts'
import { limitRequests } from '../http/limits/limitRequests.ts'
import type { RequestGate } from '../http/limits/requestGate.ts'
import { measureRequests, type RequestMeter } from '../http/metrics.ts'
import { limitBody } from '../http/readBody.ts'
import { refuseUnknown } from '../http/refuseUnknown.ts'
import { requestIdFrom } from '../http/requestId.ts'
import { securityHeaders } from '../http/securityHeaders.ts'
import { toApiError } from '../http/toApiError.ts'
import { addCancel } from './cancel.ts'
import { addOrdersHealth } from './health.ts'
import { addKeys } from './keys.ts'
import { addPlaceOrder } from './placeOrder.ts'
import { addReadOrders } from './readOrders.ts'
import { addStuckOrders } from './stuck.ts'
import { addWaitingTranche } from './waitingTranche.ts'

type OrdersAppOptions = {
  orders: OrdersService
  gate: RequestGate
  trusts: Trusts
  meter: RequestMeter
  metrics: Registry
  /** Called with every answer of status 500 and above. */
  onFailure: (failure: Failure) => void
}

/**
 * The scheduled-order service's endpoints, with ids, limits and errors as everywhere else. Every path also
 * answers under `/v1`.
 */
export function createOrdersApp(options: OrdersAppOptions): OpenAPIHono<ApiEnv> {
  const { orders, metrics } = options
  const app = emptyApp(options)
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

function emptyApp({ gate, trusts, meter, onFailure }: OrdersAppOptions): OpenAPIHono<ApiEnv> {
  const app = new OpenAPIHono<ApiEnv>({ getPath: (request) => versionlessPath(request.url) })
  app.use(measureRequests(meter), async (c, next) => {
    const requestId = requestIdFrom(c.req.header('x-request-id'))
    c.set('requestId', requestId)
    await next()
    c.res.headers.set('x-request-id', requestId)
    if (!c.res.headers.has('cache-control')) c.res.headers.set('cache-control', 'no-store')
  })
  app.use(securityHeaders())
  app.use(cors({ origin: '*', exposeHeaders: EXPOSED, maxAge: 86_400 }))
  app.use(limitRequests(gate, trusts))
  app.use(limitBody)
  app.onError((error, c) => {
    const reported = toApiError(error)
    const requestId = c.get('requestId') ?? requestIdFrom(undefined)
    c.set('code', reported.code)
    if (reported.status >= 500) {
      const route = c.get('route') ?? 'unknown'
      onFailure({ requestId, method: c.req.method, route, error: reported })
    }
    return errorResponse(reported, requestId)
  })
  refuseUnknown(app)
  return app
}
