import type { Provider } from '../rpcPool/provider.ts'
import type { RpcPool, SendOptions } from '../rpcPool/rpcPool.ts'
import type { SendRequests } from './readLogs.ts'

/** Sends to any provider of a pool. Everything requested is known to exist, so a null makes it try another provider. */
export function requestFromPool(
  pool: Pick<RpcPool, 'send'>,
  options: SendOptions = {},
): SendRequests<Provider> {
  return (requests) => pool.send(requests, { usable: (result) => result !== null, ...options })
}
