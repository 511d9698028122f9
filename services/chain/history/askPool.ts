import type { Provider } from '../rpcPool/provider.ts'
import type { RpcPool, SendOptions } from '../rpcPool/rpcPool.ts'
import type { Ask } from './readLogs.ts'

/** Asks whichever of a pool's providers answers. All that is asked for is known to exist: null is no answer. */
export function askPool(pool: Pick<RpcPool, 'send'>, options: SendOptions = {}): Ask<Provider> {
  return (requests) => pool.send(requests, { usable: (result) => result !== null, ...options })
}
