import type { Provider } from '../rpcPool/provider.ts'
import type { RpcPool, SendOptions } from '../rpcPool/rpcPool.ts'
import type { SendRequests } from './readLogs.ts'

/** Asks whichever of a pool's providers answers. All that is asked for is known to exist: null is no answer. */
export function requestFromPool(
  pool: Pick<RpcPool, 'send'>,
  options: SendOptions = {},
): SendRequests<Provider> {
  return (requests) => pool.send(requests, { usable: (result) => result !== null, ...options })
}
