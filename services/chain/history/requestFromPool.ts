import type { Provider } from '../rpcPool/provider.ts'
import type { RpcPool, SendOptions } from '../rpcPool/rpcPool.ts'
import type { SendRequests } from './readLogs.ts'

/**
 * Sends to any provider of a pool. Everything requested is known to exist, so a null makes it try another provider. Logs are
 * refused if no provider gives them in time.
 */
export function requestFromPool(
  pool: Pick<RpcPool, 'send'>,
  options: SendOptions = {},
): SendRequests<Provider> {
  const defaults: SendOptions = { usable: (result) => result !== null, canNarrow: true }
  return (requests) => pool.send(requests, { ...defaults, ...options })
}
