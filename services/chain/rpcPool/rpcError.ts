/**
 * What a failed request means for the caller:
 * - `unreachable`: no answer that can be used (connection, timeout, 5xx, broken JSON). Ask another provider.
 * - `rate-limited`: ask another provider, this one after `retryAfterMs`.
 * - `behind`: this provider doesn't have the block or state asked for (yet). Ask another provider.
 * - `unsupported`: this provider doesn't offer the method. Ask another provider.
 * - `oversized`: the answer is longer than the caller reads; the rest of it was not. Ask another provider; if none
 *   answers, ask for less.
 * - `refused`: the request itself was turned down (bad parameters, too wide a range, a revert). Another
 *   provider would most likely say the same; the caller decides.
 */
type RpcFailure =
  | 'unreachable'
  | 'rate-limited'
  | 'behind'
  | 'unsupported'
  | 'oversized'
  | 'refused'

export class RpcError extends Error {
  override readonly name = 'RpcError'
  readonly failure: RpcFailure
  /** The JSON-RPC error code, or the HTTP status where there was no JSON-RPC answer. */
  readonly code: number | undefined
  readonly data: unknown
  readonly retryAfterMs: number | undefined

  constructor(
    failure: RpcFailure,
    message: string,
    detail: {
      code?: number | undefined
      data?: unknown
      retryAfterMs?: number | undefined
      cause?: unknown
    } = {},
  ) {
    super(message, { cause: detail.cause })
    this.failure = failure
    this.code = detail.code
    this.data = detail.data
    this.retryAfterMs = detail.retryAfterMs
  }

  /** Whether the same request may succeed elsewhere or later. */
  get retryable(): boolean {
    return this.failure !== 'refused'
  }
}

const rateWords = /rate.?limit|too many requests|throttl|capacity|per second|compute units|quota/i
/** How nodes report a call that a contract refused; after it they quote the contract's message. */
const revertWords = /execution reverted|execution error|vm exception/i
const behindWords =
  /header not found|unknown block|block not found|could not find block|missing trie node|not yet available|beyond (current )?head|cannot query unfinalized|block .*out of range/i

/** Classifies the `error` member of a JSON-RPC answer. */
export function classifyRpcError(error: unknown): RpcError {
  const { code, message, data } = (error ?? {}) as {
    code?: unknown
    message?: unknown
    data?: unknown
  }
  const detail = { code: typeof code === 'number' ? code : undefined, data }
  const text = typeof message === 'string' ? message : JSON.stringify(error)
  // First: a contract that says "rate limit" must not make a provider back off.
  if (detail.code === 3 || revertWords.test(text)) return new RpcError('refused', text, detail)
  if (detail.code === 429 || rateWords.test(text)) return new RpcError('rate-limited', text, detail)
  if (behindWords.test(text)) return new RpcError('behind', text, detail)
  if (detail.code === -32601 || detail.code === -32004)
    return new RpcError('unsupported', text, detail)
  if (detail.code === -32603) return new RpcError('unreachable', text, detail)
  return new RpcError('refused', text, detail)
}
