import type { OrdersService } from '../../services/orders/ordersServiceTypes.ts'
import type { RunningOrders } from '../../services/orders/startOrders.ts'
import type { Answered } from '../http/accessLog.ts'
import { createBaseApp, type Failure } from '../http/baseApp.ts'
import { ORDER_OPERATION_IDS } from '../http/docs/operationIds.ts'
import { serveDocs } from '../http/docs/serveDocs.ts'
import { serveOpenApi } from '../http/docs/serveOpenApi.ts'
import { trustProxies } from '../http/limits/clientAddress.ts'
import {
  createRequestGate,
  DEFAULT_LIMITS,
  type RequestLimits,
} from '../http/limits/requestGate.ts'
import { listen } from '../http/listen.ts'
import { addReadings, createMetrics, createRequestMeter, serveMetrics } from '../http/metrics.ts'
import { addCancelOrderRoute } from './cancelOrderRoute.ts'
import { createLatenessMeter, createOrderMetrics } from './orderMetrics.ts'
import { addOrderServiceHealthRoutes } from './orderServiceHealthRoutes.ts'
import { addPlaceOrderRoute } from './placeOrderRoute.ts'
import { addPublicKeyRoutes } from './publicKeyRoutes.ts'
import { addReadOrderRoutes } from './readOrderRoutes.ts'
import { addStuckOrdersRoute } from './stuckOrdersRoute.ts'
import { addTrancheWaitingForGasRoute } from './trancheWaitingForGasRoute.ts'

type OrdersApiOptions = {
  orders: OrdersService & Pick<RunningOrders, 'onFired'>
  host: string
  /** 0: any free port. */
  port: number
  /** Proxies whose `X-Forwarded-For` counts. Default none. */
  trustedProxies?: readonly string[]
  limits?: RequestLimits
  /** See `listen`. */
  drainMs?: number
  /** Called with answers of status 500 and above. */
  onFailure?: (failure: Failure) => void
  /** Called with every answer; see `createAccessLog`. */
  onAnswer?: (answered: Answered) => void
}

/** Milliseconds for the rest of a call: checks, enclaves' signatures, a read of the chain. */
const SIGNED_WITHIN_MS = 15_000

/**
 * Serves the scheduled-order service's own endpoints, with the same request ids, limits and errors as all APIs. Every path
 * also answers under `/v1`.
 */
export async function startOrdersApi(
  options: OrdersApiOptions,
): Promise<{ url: string; stop(): Promise<void> }> {
  const { orders, limits = DEFAULT_LIMITS, onFailure = () => {}, onAnswer, drainMs = 0 } = options
  const isTrustedProxy = trustProxies(options.trustedProxies ?? [])
  const metrics = createMetrics()
  addReadings(metrics, createOrderMetrics(orders))
  orders.onFired(createLatenessMeter(metrics))
  const meter = createRequestMeter(metrics, onAnswer)
  const gate = createRequestGate(limits)
  const app = createBaseApp({ gate, isTrustedProxy, meter, onFailure, isPublic: true })
  addPublicKeyRoutes(app, orders)
  addPlaceOrderRoute(app, orders)
  addReadOrderRoutes(app, orders)
  addCancelOrderRoute(app, orders)
  addOrderServiceHealthRoutes(app, orders)
  addStuckOrdersRoute(app, orders)
  addTrancheWaitingForGasRoute(app, orders)
  serveMetrics(app, metrics)
  serveDocs(app)
  serveOpenApi(app, {
    title: 'Cairn scheduled orders',
    operationIds: ORDER_OPERATION_IDS,
    description:
      'Splits one deposit into tranches, each an intent of its owner. The owner approves the vault of GET /address, encrypts the order to the key of GET /ecies-pubkey and sends it. Amounts are decimal strings in token base units.',
  })
  // A connection stays silent while its order is being funded.
  const stalledMs = orders.timeoutMs + SIGNED_WITHIN_MS
  const how = { isTrustedProxy, onMalformed: meter, stalledMs, drainMs }
  const server = await listen(app.fetch, options.host, options.port, how)
  const stop = async () => {
    await server.drain()
    await server.stop()
  }
  return { url: server.url, stop }
}
