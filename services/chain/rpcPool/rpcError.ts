import { readNodesWords } from '../readNodesWords.ts'

/**
 * Why a request failed, and what the caller should do:
 * - `unreachable`: no usable answer (connection, timeout, 5xx, invalid JSON). Try another provider.
 * - `rate-limited`: try another provider, or this one after `retryAfterMs`.
 * - `behind`: the provider lacks the requested block or state. Try another provider.
 * - `unsupported`: the provider lacks the method. Try another provider.
 * - `oversized`: the answer exceeds the size limit. Try another provider; if none succeeds, request less.
 * - `refused`: the request itself was rejected (bad parameters, range too wide, revert). Another provider would most
 *   likely reject it too, so the caller decides.
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
  /** The JSON-RPC error code, or the HTTP status if there was no JSON-RPC answer. */
  readonly code: number | undefined
  readonly data: unknown
  readonly retryAfterMs: number | undefined
  /** Whether there was no answer in time, so that a smaller request may have one. */
  readonly isTimeout: boolean

  constructor(
    failure: RpcFailure,
    message: string,
    detail: {
      code?: number | undefined
      data?: unknown
      retryAfterMs?: number | undefined
      isTimeout?: boolean
      cause?: unknown
    } = {},
  ) {
    super(message, { cause: detail.cause })
    this.failure = failure
    this.code = detail.code
    this.data = detail.data
    this.retryAfterMs = detail.retryAfterMs
    this.isTimeout = detail.isTimeout ?? false
  }

  /** Whether the same request may succeed elsewhere or later. */
  get retryable(): boolean {
    return this.failure !== 'refused'
  }
}

const rateWords =
  /rate.?limit|too many requests?\b|throttl|capacity|per second|compute units|quota|(daily|monthly|usage|rps)( \w+)? limit/i
const timeoutWords = /time(d )?out|deadline exceeded/i
const batchWord = /\bbatch/i
/** How nodes report a reverted call, followed by the contract's message. */
const revertWords = /execution reverted|execution error|vm exception/i
const behindWords =
  /header (for hash )?not found|unknown block|block (\S+ )?not found|could not find block|missing trie node|not yet available|beyond (current )?head|cannot query unfinalized|block .*out of range/i
/** How nodes whose every refusal is an internal error refuse a range of blocks, as Substrate's do; not how programs crash. */
const rangeWords = /(?<!out.of.)\brange\b(?! (start|end) index)|more than \d+ (results|logs)/i
/** How hosts report that no node behind them answers; some also when one takes too long for a wide range of logs. */
const offlineWords =
  /no (available )?(backends?|upstreams?)\b|backend (offline|returned an)|healthy to serve|temporary internal error/i
/** How nodes report blocks or state that they have deleted, or that their host reserves for other plans. */
const prunedWords =
  /\bprun(ed|ing)\b|(history|state|historical) .*(unavailable|not available)|no state|\barchive\b/i

/** Classifies the `error` member of a JSON-RPC answer. */
export function classifyRpcError(error: unknown): RpcError {
  const { code, message, data } = (error ?? {}) as {
    code?: unknown
    message?: unknown
    data?: unknown
  }
  const said = typeof message === 'string' ? message : asJson(error)
  if (said === null) return new RpcError('unreachable', 'the node’s error can’t be read')
  const words = readNodesWords(said)
  // Logs and tools show it: a node mustn't write lines of its own to a terminal.
  const text = words.replaceAll(/[\p{C}\s]+/gu, ' ')
  const isTimeout = timeoutWords.test(text)
  const detail = { code: typeof code === 'number' ? code : undefined, data, isTimeout }
  // Checked first: a revert message that contains "rate limit" must not make a provider back off.
  if (isRevert({ code: detail.code, message: text })) return new RpcError('refused', text, detail)
  // See `refusesBatch`.
  const isRate = rateWords.test(text) && !batchWord.test(text)
  if (detail.code === 429 || isRate) return new RpcError('rate-limited', text, detail)
  if (offlineWords.test(text))
    return new RpcError('unreachable', text, { ...detail, isTimeout: true })
  if (behindWords.test(text) || prunedWords.test(text)) return new RpcError('behind', text, detail)
  if (detail.code === -32601 || detail.code === -32004)
    return new RpcError('unsupported', text, detail)
  if (detail.code === -32603 && !rangeWords.test(text))
    return new RpcError('unreachable', text, detail)
  return new RpcError('refused', text, detail)
}

/** Null for what is nested too deeply: JSON can be parsed to any depth, but not written. */
function asJson(error: unknown): string | null {
  try {
    return JSON.stringify(error)
  } catch {
    return null
  }
}

/** HTTP statuses with which hosts refuse a key, or what it hasn't paid for. */
const KEY_STATUSES = new Set([401, 402])
/** The HTTP status with which they refuse a key, or a single method. */
const FORBIDDEN = 403
/** How some refuse a batch, or a request for logs, with HTTP 403 or 5xx. */
const requestWords = /too (large|big|many|wide)|\brange\b|more than|specify an address|\bbatch/i

/**
 * The failure of an answer whose HTTP status says more than its JSON-RPC error: the host is unhealthy or doesn't serve us, so
 * another provider may answer. Null if the error is about the request.
 */
export function findHostFailure(status: number, error: unknown): RpcError | null {
  const classified = classifyRpcError(error)
  const { failure, message } = classified
  const isOfRequest = !KEY_STATUSES.has(status) && requestWords.test(message)
  if (failure !== 'refused' || isRevert(classified) || isOfRequest) return null
  const words = `HTTP ${status}: ${message}`
  if (status === FORBIDDEN) return new RpcError('unsupported', words, classified)
  const isOfHost = status >= 500 || KEY_STATUSES.has(status)
  return isOfHost ? new RpcError('unreachable', words, classified) : null
}

/** Whether a node says that a batch is too large: its requests may pass singly. */
export function refusesBatch(error: RpcError): boolean {
  return error.failure === 'refused' && !isRevert(error) && batchWord.test(error.message)
}

/** Whether the called contract failed, rather than the node. */
export function isRevert({ code, message }: Pick<RpcError, 'code' | 'message'>): boolean {
  return code === 3 || revertWords.test(message)
}
