import { createAccessLog } from '../../api/http/accessLog.ts'
import { createFailureLog } from '../../api/http/failureLog.ts'
import { startOrdersApi } from '../../api/orderService/startOrdersApi.ts'
import { readOrdersConfiguration } from '../config/readOrdersConfiguration.ts'
import type { Priority } from '../enclave/socket/callSchema.ts'
import { type ConnectedEnclave, connectEnclave } from '../enclave/socket/connectEnclave.ts'
import { startOrders } from '../orders/startOrders.ts'
import { roleLog, runRole } from './runRole.ts'

const SETTINGS = { port: 'ORDERS_PORT', database: 'ORDERS_DATABASE_URL' }

/** The scheduled-order service with its own HTTP server, configured by the environment. */
export function runOrders(env: NodeJS.ProcessEnv): Promise<void> {
  return runRole(async () => {
    const { enclave, logLevel, ...options } = readOrdersConfiguration(env)
    const log = roleLog('orders', logLevel)
    const enclaves = connectAll(enclave.sockets, 'normal')
    // Anyone may submit an order: due tranches don't wait behind strangers' calls.
    const enclavesForClients = connectAll(enclave.sockets, 'low')
    const orders = await startOrders({
      ...options,
      log,
      enclaves,
      enclavesForClients,
    })
    const api = await startOrdersApi({
      ...options.api,
      host: options.host,
      port: options.port,
      orders,
      onAnswer: createAccessLog(log),
      onFailure: createFailureLog(log),
    })
    log.info({ url: api.url, account: orders.account, vault: orders.vault }, 'taking orders')
    return {
      url: api.url,
      log,
      drainMs: options.api.drainMs,
      stop: async () => {
        await api.stop()
        await orders.stop()
        for (const enclave of [...enclaves, ...enclavesForClients]) enclave.close()
      },
    }
  }, SETTINGS)
}

/** The configuration requires at least one socket. */
function connectAll(
  sockets: readonly string[],
  priority: Priority,
): [ConnectedEnclave, ...ConnectedEnclave[]] {
  const connected = sockets.map((path) => connectEnclave(path, { priority }))
  return connected as [ConnectedEnclave, ...ConnectedEnclave[]]
}
