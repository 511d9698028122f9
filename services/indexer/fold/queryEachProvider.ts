import { requestFromProvider } from '../../chain/proof/requestFromProvider.ts'
import type { Provider } from '../../chain/rpcPool/provider.ts'
import type { RpcPool, SendOptions } from '../../chain/rpcPool/rpcPool.ts'
import { createQueryAllProviders } from '../../chain/transactions/queryAllProviders.ts'

/**
 * Asks all providers, for what a single one mustn't decide; any that answers in time if none does at once.
 *
 * @returns the answers, at least one
 * @throws RpcError without an answer
 */
export type QueryEachProvider = (
  method: string,
  params: readonly unknown[],
  options: Pick<SendOptions, 'signal' | 'totalTimeoutMs'>,
) => Promise<unknown[]>

export function createQueryEachProvider(pool: RpcPool): QueryEachProvider {
  const isUnused = ({ quarantine, isBackingOff }: Provider) => quarantine || isBackingOff
  const queryAll = createQueryAllProviders(
    pool.providers,
    () => new Set(pool.providers.filter(isUnused)),
  )
  return async (method, params, options) => {
    const ask = (provider: Provider) => requestFromProvider(provider)(method, params)
    const answers = await queryAll(ask).catch(() => [])
    options.signal?.throwIfAborted()
    return answers.length > 0 ? answers : [await pool.request(method, params, options)]
  }
}
