import { setTimeout } from 'node:timers/promises'
import { createTokenBuckets, type TokenBuckets } from '../../process/tokenBucket.ts'
import { postJsonRpc } from './postJsonRpc.ts'
import type { RpcEndpoint } from './rpcEndpoint.ts'
import { classifyRpcError, RpcError } from './rpcError.ts'
import type { ObserveRpcPool } from './rpcPoolEvent.ts'

export type RpcRequest = { method: string; params: readonly unknown[] }
export type RpcAnswer = { result: unknown } | { error: RpcError }

/**
 * Why a provider is out of use: it serves another chain, gives another hash for a final block, or left out
 * logs. The first two are checked again and may pass; omitted logs quarantine for the pool's lifetime,
 * because a later correct answer doesn't vouch for the next one.
 */
type Quarantine = { ground: 'chain' | 'hash' | 'logs'; reason: string }

/** Of an answer to a question that no chain answers at length. */
const shortAnswerBytes = 4 * 1024 * 1024
const firstRestMs = 250
const longestRestMs = 30_000
/** Time limit of one exchange, where nobody sets another. */
export const requestTimeoutMs = 30_000

/** One RPC URL with its rate limit and the pool's opinion of it. */
export class Provider {
  readonly name: string
  readonly #endpoint: RpcEndpoint
  readonly #chainId: number
  readonly #observe: ObserveRpcPool
  readonly #mostBytes: number
  /** Null without a limit. */
  readonly #budget: TokenBuckets | null
  #failures = 0
  #restsUntil = 0
  #quarantine: Quarantine | undefined
  #speaksBatches = true
  #introduced: Promise<void> | undefined
  /** Requests sent and not yet answered. */
  inFlight = 0

  /** @param mostBytes of one exchange's answer */
  constructor(endpoint: RpcEndpoint, chainId: number, observe: ObserveRpcPool, mostBytes: number) {
    this.name = endpoint.name
    this.#endpoint = endpoint
    this.#chainId = chainId
    this.#observe = observe
    this.#mostBytes = mostBytes
    const { requestsPerSecond: perSecond } = endpoint
    // One second's worth of requests at once, then evenly.
    this.#budget = perSecond
      ? createTokenBuckets({ perSecond, burst: Math.max(1, perSecond), capacity: 1 })
      : null
  }

  get quarantine(): Quarantine | undefined {
    return this.#quarantine
  }

  /**
   * Milliseconds until `count` requests may be sent: backoff after failures, or the operator's rate limit.
   */
  readyIn(count: number): number {
    return Math.max(this.#restsUntil - performance.now(), this.#budget?.waitFor('', count) ?? 0, 0)
  }

  get resting(): boolean {
    return this.#restsUntil > performance.now()
  }

  /**
   * Sends requests in one exchange (a batch, or singly where the provider knows no batches).
   * Errors of single requests are returned in place.
   *
   * @throws RpcError when there was no usable answer at all; the provider then backs off.
   */
  async send(
    requests: readonly RpcRequest[],
    options: { signal?: AbortSignal | undefined; timeoutMs?: number } = {},
  ): Promise<RpcAnswer[]> {
    this.inFlight += requests.length
    try {
      const { signal, timeoutMs = requestTimeoutMs } = options
      const began = performance.now()
      await within(this.#introduce(timeoutMs), timeoutMs, signal)
      const left = Math.max(Math.ceil(timeoutMs - (performance.now() - began)), 1)
      const answers = await this.#exchange(requests, { signal, timeoutMs: left })
      const limited = answers.find(
        (answer) => 'error' in answer && answer.error.failure === 'rate-limited',
      )
      if (limited && 'error' in limited) throw limited.error
      this.#succeeded()
      return answers
    } catch (error) {
      if (error instanceof RpcError && !isAboutTheQuestion(error, requests)) this.#failed(error)
      throw error
    } finally {
      this.inFlight -= requests.length
    }
  }

  /** Takes the provider out of use until `readmit`. */
  setQuarantine(ground: Quarantine['ground'], reason: string): void {
    const known = this.#quarantine !== undefined
    this.#quarantine = { ground, reason }
    if (!known) this.#observe({ type: 'provider-quarantined', ...this.#whose(), reason })
  }

  /** Puts the provider back into use after it agreed with others; no effect when it had left out logs. */
  readmit(): void {
    if (!this.#quarantine || this.#quarantine.ground === 'logs') return
    this.#quarantine = undefined
    this.#introduced = undefined
    this.#observe({ type: 'provider-readmitted', ...this.#whose() })
  }

  /**
   * The first exchange asks for the chain id: a URL of another chain must never answer for this one. All
   * who come meanwhile wait for the same answer, each for its own time and with its own signal.
   */
  #introduce(timeoutMs: number): Promise<void> {
    const question = [{ method: 'eth_chainId', params: [] }]
    this.#introduced ??= this.#exchange(question, { timeoutMs }).then(([answer]) => {
      const chainId = Number(resultOf(answer))
      if (chainId === this.#chainId) return
      this.setQuarantine('chain', `it serves chain ${chainId}`)
      throw new RpcError('unsupported', `serves chain ${chainId}, not ${this.#chainId}`)
    })
    return this.#introduced.catch((error: unknown) => {
      this.#introduced = undefined
      throw error
    })
  }

  async #exchange(
    requests: readonly RpcRequest[],
    { signal, timeoutMs }: { signal?: AbortSignal | undefined; timeoutMs: number },
  ): Promise<RpcAnswer[]> {
    await pause(this.#budget?.reserve('', requests.length) ?? 0, signal)
    const documents = requests.map((request, id) => ({ jsonrpc: '2.0', id, ...request }))
    const isShort = requests.every(hasShortAnswer)
    const mostBytes = isShort ? Math.min(shortAnswerBytes, this.#mostBytes) : this.#mostBytes
    const post = (document: unknown) =>
      postJsonRpc(this.#endpoint.url, document, { timeoutMs, signal, mostBytes }).catch(
        // Nothing to ask less of: the provider is at fault.
        (error) => Promise.reject(isShort ? orUnreachable(error) : error),
      )
    const singly = () => Promise.all(documents.map(async (one) => readAnswer(await post(one))))
    if (documents.length === 1 || !this.#speaksBatches) return singly()
    const parsed = await post(documents)
    if (Array.isArray(parsed)) return inOrder(parsed, requests.length)
    const { error } = readAnswer(parsed) as { error?: RpcError }
    if (error?.failure === 'rate-limited') throw error
    this.#speaksBatches = false
    return singly()
  }

  #succeeded(): void {
    if (this.#failures > 0) this.#observe({ type: 'provider-recovered', ...this.#whose() })
    this.#failures = 0
    this.#restsUntil = 0
  }

  #failed(error: RpcError): void {
    this.#failures += 1
    const backoff = Math.min(firstRestMs * 2 ** (this.#failures - 1), longestRestMs)
    const coolMs = Math.round(error.retryAfterMs ?? backoff)
    this.#restsUntil = performance.now() + coolMs
    const reason = error.message
    this.#observe({ type: 'provider-failed', ...this.#whose(), reason, coolMs })
  }

  #whose() {
    return { chainId: this.#chainId, provider: this.name }
  }
}

/** @throws RpcError that the provider gave instead */
export function resultOf(answer: RpcAnswer | undefined): unknown {
  if (answer === undefined) throw new RpcError('unreachable', 'an empty answer')
  if ('error' in answer) throw answer.error
  return answer.result
}

/** A provider that refuses one question, or answers one for logs at too great a length, needs no backoff. */
function isAboutTheQuestion({ failure }: RpcError, requests: readonly RpcRequest[]): boolean {
  return failure === 'refused' || (failure === 'oversized' && requests.some(isForLogs))
}

export function isForLogs({ method }: RpcRequest): boolean {
  return method === 'eth_getLogs'
}

/** Whether a request is for one block, so it can't be split if the answer is too long. */
export function isForOneBlock({ params }: RpcRequest): boolean {
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

function orUnreachable(error: unknown): unknown {
  if (!(error instanceof RpcError) || error.failure !== 'oversized') return error
  return new RpcError('unreachable', error.message, { cause: error })
}

function readAnswer(parsed: unknown): RpcAnswer {
  if (typeof parsed !== 'object' || parsed === null)
    return { error: new RpcError('unreachable', 'an answer that is not JSON-RPC') }
  if ('error' in parsed && parsed.error) return { error: classifyRpcError(parsed.error) }
  if ('result' in parsed) return { result: parsed.result }
  return { error: new RpcError('unreachable', 'an answer with neither result nor error') }
}

/** Batch answers may come in any order, and some may be missing. */
function inOrder(parsed: readonly unknown[], count: number): RpcAnswer[] {
  const answers: RpcAnswer[] = Array.from({ length: count }, () => ({
    error: new RpcError('unreachable', 'missing from the batch answer'),
  }))
  for (const one of parsed) {
    const id = (one as { id?: unknown } | null)?.id
    if (typeof id === 'number' && id >= 0 && id < count) answers[id] = readAnswer(one)
  }
  return answers
}

/** The work's result; gives up on it after `timeoutMs` or when the signal aborts. */
async function within<T>(work: Promise<T>, timeoutMs: number, signal?: AbortSignal): Promise<T> {
  const over = new AbortController()
  const ends = signal ? AbortSignal.any([signal, over.signal]) : over.signal
  const tooLate = async () => {
    await pause(timeoutMs, ends)
    throw new RpcError('unreachable', `no answer within ${timeoutMs} ms`)
  }
  try {
    return await Promise.race([work, tooLate()])
  } finally {
    over.abort()
  }
}

/** Resolves after `ms`; rejects with the signal's reason when it aborts. */
export async function pause(ms: number, signal?: AbortSignal): Promise<void> {
  signal?.throwIfAborted()
  if (ms <= 0) return
  await setTimeout(ms, undefined, { signal }).catch(() => signal?.throwIfAborted())
}
