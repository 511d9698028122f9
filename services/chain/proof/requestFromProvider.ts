import { type Provider, resultOf } from '../rpcPool/provider.ts'
import type { SendRequest } from './fetchBlock.ts'

/** Milliseconds per request. */
const TIMEOUT_MS = 10_000

/** Sends requests to this provider only. */
export function requestFromProvider(provider: Provider): SendRequest {
  return async (method, params) =>
    resultOf((await provider.send([{ method, params }], { timeoutMs: TIMEOUT_MS }))[0])
}
