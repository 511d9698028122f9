import { postJsonRpc } from '../../chain/rpcPool/postJsonRpc.ts'
import { classifyRpcError, isRevert, RpcError } from '../../chain/rpcPool/rpcError.ts'

/** Milliseconds for one answer, a second attempt included. */
const TIMEOUT_MS = 5_000

/** Size limit of an answer in bytes: a block lists its transactions, and a call may return anything. */
const MAX_BYTES = 4 * 1024 * 1024

/** A provider's JSON-RPC error. */
export class ProviderRefusal extends Error {
  override readonly name = 'ProviderRefusal'
  readonly code: number
  /** Whether it refuses the request itself, rather than lacking a block or the time. */
  readonly isOfRequest: boolean

  constructor(code: number, isOfRequest: boolean) {
    super(`the provider refused with ${code}`)
    this.code = code
    this.isOfRequest = isOfRequest
  }
}

/** Chains and the URLs that serve them, which doesn't change. */
const serving = new Set<string>()

/**
 * Whether a provider serves this chain. Its host alone is measured, which may serve other chains by other paths: on a test
 * network whose bridge has the same address and code, a delivery costs nothing.
 *
 * @throws as `requestFromProvider`
 */
export async function servesChain(url: string, chainId: number): Promise<boolean> {
  const name = `${chainId} ${url}`
  if (serving.has(name)) return true
  const isServing = Number(await requestFromProvider(url, 'eth_chainId', [])) === chainId
  if (isServing) serving.add(name)
  return isServing
}

/**
 * Sends one JSON-RPC request. No redirect is followed: only the configured host has a vote.
 *
 * @throws RpcError without an answer; ProviderRefusal when the answer is an error
 */
export async function requestFromProvider(
  url: string,
  method: string,
  params: readonly unknown[],
): Promise<unknown> {
  const signal = AbortSignal.timeout(TIMEOUT_MS)
  const request = { jsonrpc: '2.0', id: 1, method, params }
  const post = () =>
    postJsonRpc(url, request, {
      timeoutMs: TIMEOUT_MS,
      signal,
      mostBytes: MAX_BYTES,
      redirect: 'error',
    })
  // The server may close a kept-alive connection just as it is reused.
  const answer = await post().catch((error: unknown) => {
    if (signal.aborted || !(error instanceof RpcError && error.failure === 'unreachable')) {
      throw error
    }
    return post()
  })
  const { error, result } = (answer ?? {}) as {
    error?: { code?: unknown } | null
    result?: unknown
  }
  // Some nodes add `error: null` to each result.
  if (error !== undefined && error !== null)
    throw new ProviderRefusal(Number(error.code), isOfRequest(error))
  return result
}

function isOfRequest(error: unknown): boolean {
  const found = classifyRpcError(error)
  return isRevert(found) || (found.failure === 'refused' && !found.isTimeout)
}
