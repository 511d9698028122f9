import type { Provider } from '../rpcPool/provider.ts'
import { RpcError } from '../rpcPool/rpcError.ts'
import type { AskChain } from './fetchBlock.ts'

/** Milliseconds for one answer. */
const TIMEOUT_MS = 10_000

/** Asks this one provider, for its own answer. */
export function askProvider(provider: Provider): AskChain {
  return async (method, params) => {
    const [answer] = await provider.send([{ method, params }], { timeoutMs: TIMEOUT_MS })
    if (!answer) throw new RpcError('unreachable', 'an empty answer')
    if ('error' in answer) throw answer.error
    return answer.result
  }
}
