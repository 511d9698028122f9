import type { OrdersService } from '../../services/orders/ordersService.ts'
import type { RunningOrders } from '../../services/orders/startOrders.ts'
import type { Answered } from '../http/accessLog.ts'
import type { Failure } from '../http/baseApp.ts'
import { trustProxies } from '../http/limits/clientAddress.ts'
import {
  createRequestGate,
  DEFAULT_LIMITS,
  type RequestLimits,
} from '../http/limits/requestGate.ts'
import { listen } from '../http/listen.ts'
import { addReadings, createMetrics, createRequestMeter } from '../http/metrics.ts'
import { createOrdersApp } from './createOrdersApp.ts'
import { createLatenessMeter } from './latenessMeter.ts'
import { orderMetrics } from './orderMetrics.ts'

type OrdersApiOptions = {
  orders: OrdersService & Pick<RunningOrders, 'onFired'>
  host: string
  /** 0: any free one. */
  port: number
  /** Proxies whose `X-Forwarded-For` counts. Default none. */
  trustedProxies?: readonly string[]
  limits?: RequestLimits
  /** Called with answers of status 500 and above. */
  onFailure?: (failure: Failure) => void
  /** Called with every answer; see `createAccessLog`. */
  onAnswer?: (answered: Answered) => void
}

/** Serves the scheduled-order service's own endpoints. */
export async function startOrdersApi(
  options: OrdersApiOptions,
): Promise<{ url: string; stop(): Promise<void> }> {
  const { orders, limits = DEFAULT_LIMITS, onFailure = () => {}, onAnswer = () => {} } = options
  const trusts = trustProxies(options.trustedProxies ?? [])
  const metrics = createMetrics()
  addReadings(metrics, orderMetrics(orders))
  orders.onFired(createLatenessMeter(metrics))
  const count = createRequestMeter(metrics)
  const meter = (answered: Answered) => {
    count(answered)
    onAnswer(answered)
  }
  const gate = createRequestGate(limits)
  const app = createOrdersApp({ orders, gate, trusts, meter, metrics, onFailure })
  const how = { trusts, onMalformed: meter }
  const server = await listen(app.fetch, options.host, options.port, how)
  const host = server.host.includes(':') ? `[${server.host}]` : server.host
  return { url: `http://${host}:${server.port}`, stop: () => server.stop() }
}
