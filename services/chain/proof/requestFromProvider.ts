import { type Provider, resultOf } from '../rpcPool/provider.ts'
import type { SendRequest } from './fetchBlock.ts'

/** Milliseconds for one answer. */
const TIMEOUT_MS = 10_000

/** Asks this one provider, for its own answer. */
export function requestFromProvider(provider: Provider): SendRequest {
  return async (method, params) =>
    resultOf((await provider.send([{ method, params }], { timeoutMs: TIMEOUT_MS }))[0])
}
