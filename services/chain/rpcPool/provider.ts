import { setTimeout } from 'node:timers/promises'
import { findChainName } from '../../../core/chain/chainNames.ts'
import { mapInParallel } from '../../process/mapInParallel.ts'
import { createTokenBuckets, type TokenBuckets } from '../../process/tokenBuckets.ts'
import { createBatchPace } from './batchPace.ts'
import { postJsonRpc } from './postJsonRpc.ts'
import { inRequestOrder, type RpcAnswer, readAnswer } from './readAnswers.ts'
import type { RpcEndpoint } from './rpcEndpoint.ts'
import { RpcError, refusesBatch } from './rpcError.ts'
import type { ObserveRpcPool } from './rpcPoolEvent.ts'

export type { RpcAnswer } from './readAnswers.ts'
export type RpcRequest = { method: string; params: readonly unknown[] }

/**
 * Why a provider isn't used: it serves another chain, disagrees on a block, or omitted or forged logs. The first
 * two are checked again and may pass. False logs quarantine for the pool's lifetime, because a later correct answer
 * doesn't vouch for the next one.
 */
type Quarantine = { ground: 'chain' | 'hash' | 'logs'; reason: string }

/** Size limit of answers that are short on every chain. */
const SHORT_ANSWER_BYTES = 4 * 1024 * 1024
const FIRST_BACKOFF_MS = 250
const LONGEST_BACKOFF_MS = 30_000
/** Default time limit of one exchange. */
export const REQUEST_TIMEOUT_MS = 30_000

/** Parts of a refused batch that are sent at once. */
const CONCURRENT_BATCHES = 8
/** Milliseconds for which no batch is as large as one that was refused: overloaded hosts refuse them for a while. */
const SMALL_FOR_MS = 3_600_000
type Post = (document: unknown) => Promise<unknown>

/** One RPC URL with its rate limit, backoff and quarantine. */
export class Provider {
  readonly name: string
  readonly operator: string
  readonly #endpoint: RpcEndpoint
  readonly #chainId: number
  readonly #observe: ObserveRpcPool
  readonly #mostBytes: number
  /** Null if unlimited. */
  readonly #rateLimit: TokenBuckets | null
  #failures = 0
  #lastFailure: string | null = null
  #backoffUntil = 0
  #quarantine: Quarantine | undefined
  /** Requests in the largest batch that it may accept, and until when that counts. */
  #batchLimit = { size: Number.POSITIVE_INFINITY, until: 0 }
  readonly #pace = createBatchPace()
  #chainIdCheck: Promise<void> | undefined
  /** Requests sent and not yet answered. */
  inFlight = 0

  /** @param mostBytes size limit of one exchange's answer */
  constructor(endpoint: RpcEndpoint, chainId: number, observe: ObserveRpcPool, mostBytes: number) {
    this.name = endpoint.name
    this.operator = endpoint.operator
    this.#endpoint = endpoint
    this.#chainId = chainId
    this.#observe = observe
    this.#mostBytes = mostBytes
    const { requestsPerSecond: perSecond } = endpoint
    // Allows a burst of one second's requests.
    this.#rateLimit = perSecond
      ? createTokenBuckets({ perSecond, burst: Math.max(1, perSecond), capacity: 1 })
      : null
  }

  get quarantine(): Quarantine | undefined {
    return this.#quarantine
  }

  /** Milliseconds until `count` requests may be sent, by backoff and configured rate limit. */
  readyIn(count: number): number {
    return Math.max(this.backoffMs, this.#rateLimit?.waitFor('', count) ?? 0)
  }

  /** Milliseconds for which it is not used because it failed, or said to wait. */
  get backoffMs(): number {
    return Math.max(this.#backoffUntil - performance.now(), 0)
  }

  /** Why its last exchange failed; null if it didn't. */
  get lastFailure(): string | null {
    return this.#lastFailure
  }

  get isBackingOff(): boolean {
    return this.backoffMs > 0
  }

  /**
   * Sends requests in one exchange: a batch, or several if the provider refuses a batch so large. Errors of single requests are
   * returned in place.
   *
   * @param options.mostBytes default: the provider's
   * @throws RpcError when there was no usable answer at all; the provider then backs off
   */
  async send(
    requests: readonly RpcRequest[],
    options: {
      signal?: AbortSignal | undefined
      timeoutMs?: number
      mostBytes?: number | undefined
    } = {},
  ): Promise<RpcAnswer[]> {
    this.inFlight += requests.length
    const began = performance.now()
    try {
      const { signal, timeoutMs = REQUEST_TIMEOUT_MS, mostBytes = this.#mostBytes } = options
      await within(this.#checkChainId(timeoutMs), timeoutMs, signal)
      const left = Math.max(Math.ceil(timeoutMs - (performance.now() - began)), 1)
      const answers = await this.#exchange(requests, { signal, timeoutMs: left, mostBytes })
      const limited = answers.find(
        (answer) => 'error' in answer && answer.error.failure === 'rate-limited',
      )
      if (limited && 'error' in limited) throw limited.error
      this.#recordSuccess()
      this.#pace.recordPassed(requests.length)
      return answers
    } catch (error) {
      if (error instanceof RpcError && error.failure === 'rate-limited')
        this.#pace.recordLimited(requests.length, began)
      if (error instanceof RpcError && !isRequestError(error, requests)) this.#recordFailure(error)
      throw error
    } finally {
      this.inFlight -= requests.length
    }
  }

  /** Stops using the provider until `readmit`. No other ground replaces false logs. */
  setQuarantine(ground: Quarantine['ground'], reason: string): void {
    if (this.#quarantine?.ground === 'logs') return
    const isNew = this.#quarantine === undefined
    this.#quarantine = { ground, reason }
    if (isNew) this.#observe({ type: 'provider-quarantined', ...this.#identity(), reason })
  }

  /** Uses the provider again after it agreed with others. No effect after false logs. */
  readmit(): void {
    if (!this.#quarantine || this.#quarantine.ground === 'logs') return
    this.#quarantine = undefined
    this.#chainIdCheck = undefined
    this.#observe({ type: 'provider-readmitted', ...this.#identity() })
  }

  /**
   * Requests the chain id before anything else, so that a URL of another chain never answers for this one. Concurrent
   * callers share the request, each with its own timeout and signal.
   */
  #checkChainId(timeoutMs: number): Promise<void> {
    const requests = [{ method: 'eth_chainId', params: [] }]
    this.#chainIdCheck ??= this.#exchange(requests, { timeoutMs }).then(([answer]) => {
      const chainId = Number(resultOf(answer))
      if (chainId === this.#chainId) return
      this.setQuarantine('chain', `it serves chain ${chainId}`)
      const wanted = findChainName(this.#chainId) ?? 'chain'
      const words = `a node serves chain ${chainId}, not ${wanted} ${this.#chainId}: check rpcUrls`
      throw new RpcError('unsupported', words)
    })
    return this.#chainIdCheck.catch((error: unknown) => {
      this.#chainIdCheck = undefined
      throw error
    })
  }

  async #exchange(
    requests: readonly RpcRequest[],
    {
      signal,
      timeoutMs,
      mostBytes: most = this.#mostBytes,
    }: { signal?: AbortSignal | undefined; timeoutMs: number; mostBytes?: number },
  ): Promise<RpcAnswer[]> {
    await pause(this.#rateLimit?.reserve('', requests.length) ?? 0, signal)
    const deadline = performance.now() + timeoutMs
    const isShort = requests.every(hasShortAnswer)
    const mostBytes = isShort ? Math.min(SHORT_ANSWER_BYTES, most) : most
    return this.#sendInBatches(requests, (document) => {
      // The parts of a refused batch share its time.
      const leftMs = Math.max(Math.ceil(deadline - performance.now()), 1)
      return postJsonRpc(this.#endpoint.url, document, {
        timeoutMs: leftMs,
        signal,
        mostBytes,
      }).catch(
        // A short answer can't be requested in smaller parts, so the provider is at fault.
        (error) => Promise.reject(isShort ? asUnreachable(error) : error),
      )
    })
  }

  /** Halves a refused batch: some hosts accept none, others only small ones. At its rate limit, a host gets one batch at a time. */
  async #sendInBatches(requests: readonly RpcRequest[], post: Post): Promise<RpcAnswer[]> {
    const pace = this.#pace.size()
    const size = Math.min(this.#mostInBatch(), pace ?? requests.length, requests.length)
    if (size < requests.length) {
      const batches = Array.from({ length: Math.ceil(requests.length / size) }, (_, at) =>
        requests.slice(at * size, (at + 1) * size),
      )
      const atOnce = pace === null ? CONCURRENT_BATCHES : 1
      const answers = await mapInParallel(batches, atOnce, (batch) =>
        this.#sendInBatches(batch, post),
      )
      return answers.flat()
    }
    const documents = requests.map((request, id) => ({ jsonrpc: '2.0', id, ...request }))
    if (documents.length === 1) return [readAnswer(await post(documents[0]))]
    const parsed = await post(documents).catch((error: unknown) => {
      // The batch is too large; for logs, the answer may be.
      const isBatch = error instanceof RpcError && error.code === 413
      if (isBatch && !requests.some(isLogRequest)) return null
      throw error
    })
    if (Array.isArray(parsed)) {
      const answers = inRequestOrder(parsed, requests.length)
      if (!answers.some((answer) => 'error' in answer && refusesBatch(answer.error))) return answers
    } else if (parsed !== null) {
      const answer = readAnswer(parsed)
      if ('error' in answer && answer.error.failure === 'rate-limited') throw answer.error
    }
    const half = Math.floor(requests.length / 2)
    const until = performance.now() + SMALL_FOR_MS
    this.#batchLimit = { size: Math.min(this.#mostInBatch(), half), until }
    return this.#sendInBatches(requests, post)
  }

  #mostInBatch(): number {
    const { size, until } = this.#batchLimit
    return performance.now() < until ? size : Number.POSITIVE_INFINITY
  }

  #recordSuccess(): void {
    if (this.#failures > 0) this.#observe({ type: 'provider-recovered', ...this.#identity() })
    this.#failures = 0
    this.#lastFailure = null
    this.#backoffUntil = 0
  }

  #recordFailure(error: RpcError): void {
    this.#failures += 1
    const exponential = Math.min(FIRST_BACKOFF_MS * 2 ** (this.#failures - 1), LONGEST_BACKOFF_MS)
    const backoffMs = Math.round(error.retryAfterMs ?? exponential)
    this.#backoffUntil = performance.now() + backoffMs
    const reason = error.message
    this.#lastFailure = reason
    this.#observe({ type: 'provider-failed', ...this.#identity(), reason, backoffMs })
  }

  #identity() {
    return { chainId: this.#chainId, provider: this.name }
  }
}

/** The result of an answer. @throws its RpcError */
export function resultOf(answer: RpcAnswer | undefined): unknown {
  if (answer === undefined) throw new RpcError('unreachable', 'the answer is empty')
  if ('error' in answer) throw answer.error
  return answer.result
}

/** Whether the request caused the error, by being invalid or covering too many logs. Then no backoff is needed. */
function isRequestError({ failure }: RpcError, requests: readonly RpcRequest[]): boolean {
  return failure === 'refused' || (failure === 'oversized' && requests.some(isLogRequest))
}

export function isLogRequest({ method }: RpcRequest): boolean {
  return method === 'eth_getLogs'
}

/** Whether a log request covers one block, so it can't be split. */
export function isSingleBlockRequest({ params }: RpcRequest): boolean {
  const { fromBlock, toBlock } = (params[0] ?? {}) as { fromBlock?: string; toBlock?: string }
  return fromBlock !== undefined && fromBlock === toBlock
}

function hasShortAnswer({ method, params }: RpcRequest): boolean {
  return (
    method === 'eth_chainId' ||
    method === 'eth_blockNumber' ||
    (method === 'eth_getBlockByNumber' && params[0] === 'latest' && params[1] !== true)
  )
}

function asUnreachable(error: unknown): unknown {
  if (!(error instanceof RpcError) || error.failure !== 'oversized') return error
  return new RpcError('unreachable', error.message, { cause: error })
}

/** Awaits `work`, but rejects after `timeoutMs` or when the signal aborts. */
async function within<T>(work: Promise<T>, timeoutMs: number, signal?: AbortSignal): Promise<T> {
  const settled = new AbortController()
  const ends = signal ? AbortSignal.any([signal, settled.signal]) : settled.signal
  const timeout = async () => {
    await pause(timeoutMs, ends)
    throw new RpcError('unreachable', `no answer within ${timeoutMs} ms`)
  }
  try {
    return await Promise.race([work, timeout()])
  } finally {
    settled.abort()
  }
}

/** Resolves after `ms`; rejects with the signal's reason when it aborts. */
export async function pause(ms: number, signal?: AbortSignal): Promise<void> {
  signal?.throwIfAborted()
  if (ms <= 0) return
  await setTimeout(ms, undefined, { signal }).catch(() => signal?.throwIfAborted())
}
