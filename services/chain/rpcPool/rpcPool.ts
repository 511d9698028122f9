import { findChainName } from '../../../core/chain/chainNames.ts'
import {
  isLogRequest,
  isSingleBlockRequest,
  Provider,
  pause,
  REQUEST_TIMEOUT_MS,
  type RpcAnswer,
  type RpcRequest,
  resultOf,
} from './provider.ts'
import { createRpcEndpoints } from './rpcEndpoint.ts'
import { RpcError } from './rpcError.ts'
import type { ObserveRpcPool } from './rpcPoolEvent.ts'

export type SendOptions = {
  signal?: AbortSignal | undefined
  /** How long to keep trying while no provider answers. Default: until `signal` aborts. */
  totalTimeoutMs?: number | undefined
  /** Time limit of one exchange with one provider, capped at about what is left of `totalTimeoutMs`. */
  timeoutMs?: number | undefined
  /** Providers not to use. */
  exclude?: ReadonlySet<Provider> | undefined
  /** Rejects results, e.g. null for a block that must exist; another provider is tried. */
  usable?: ((result: unknown) => boolean) | undefined
  /**
   * Retries while every provider is `behind`: for what must exist, such as a final block. By default that error is
   * thrown at once.
   */
  retryBehind?: boolean | undefined
  /** Tries each provider once. */
  once?: boolean | undefined
  /** Whether the caller can request the logs of fewer blocks: a range that no provider answers in time is then `refused`. */
  canNarrow?: boolean | undefined
}

/** Default size limit of one exchange's answer. Several concurrent answers must fit into memory. */
const MAX_ANSWER_BYTES = 64 * 1024 * 1024
/** Pause between rounds, since a provider that answers, if only with an error, doesn't back off by itself. */
const ROUND_PAUSE_MS = 300
/** Minimum time of the last attempt, even beyond `totalTimeoutMs`. */
const SHORTEST_ATTEMPT_MS = 250

export type RpcPool = {
  chainId: number
  providers: readonly Provider[]
  /** Providers that aren't quarantined, in configuration order. */
  trusted(): Provider[]
  /**
   * Sends the requests in one exchange with one provider, and fails over to another until there is a usable answer.
   * Errors that another provider would repeat are returned in place.
   *
   * @throws RpcError when `totalTimeoutMs` runs out, or when every provider is quarantined or excluded
   */
  send(
    requests: readonly RpcRequest[],
    options?: SendOptions,
  ): Promise<{ answers: RpcAnswer[]; provider: Provider }>
  /** Sends one request and returns its result; throws its error. */
  request(method: string, params: readonly unknown[], options?: SendOptions): Promise<unknown>
}

/** Fails over between a chain's RPC URLs. Sequential requests stay with the first healthy URL; parallel ones spread. */
export function createRpcPool({
  observe = () => {},
  mostBytes = MAX_ANSWER_BYTES,
  ...chain
}: {
  chainId: number
  rpcUrls: readonly string[]
  requestsPerSecond?: Readonly<Record<string, number>> | undefined
  operators?: Readonly<Record<string, string>> | undefined
  observe?: ObserveRpcPool
  /** Size limit of one exchange's answer; a longer one is `oversized`. Default: 64 MB. */
  mostBytes?: number | undefined
}): RpcPool {
  const { chainId } = chain
  const providers = createRpcEndpoints(chain).map(
    (endpoint) => new Provider(endpoint, chainId, observe, mostBytes),
  )
  const trusted = () => providers.filter((provider) => !provider.quarantine)

  async function send(requests: readonly RpcRequest[], options: SendOptions = {}) {
    const { signal, totalTimeoutMs = Number.POSITIVE_INFINITY, exclude } = options
    const canNarrow = options.canNarrow && !options.once
    const deadline = performance.now() + totalTimeoutMs
    const tried = new Map<Provider, RpcError>()
    while (true) {
      signal?.throwIfAborted()
      const candidates = trusted().filter((provider) => !exclude?.has(provider))
      if (candidates.length === 0)
        throw lastError(tried) ?? new RpcError('unreachable', 'no trusted provider left')
      const untried = candidates.filter((provider) => !tried.has(provider))
      const round = untried.length > 0 ? untried : candidates
      if (untried.length === 0) {
        if (options.once) throw lastError(tried)
        throwIfOversized(tried, requests)
        if (canNarrow) throwIfTooSlow(tried, requests)
        const isAnswered = haveAllAnswered(tried)
        const isBehind = [...tried.values()].some(({ failure }) => failure === 'behind')
        if (isAnswered && !(options.retryBehind && isBehind)) throw lastError(tried)
        if (candidates.some((one) => !one.isBackingOff)) await pause(ROUND_PAUSE_MS, signal)
        if (performance.now() > deadline) throw lastError(tried)
        tried.clear()
      }
      const { provider, waitMs } = pick(round, requests.length)
      if (performance.now() + waitMs > deadline)
        throw lastError(tried) ?? timeoutError(chainId, candidates, totalTimeoutMs)
      await pause(waitMs, signal)
      const leftMs = Math.max(Math.ceil(deadline - performance.now()), SHORTEST_ATTEMPT_MS)
      const outcome = await attempt(provider, requests, {
        ...options,
        timeoutMs: Math.min(options.timeoutMs ?? REQUEST_TIMEOUT_MS, leftMs),
      })
      if (!(outcome instanceof RpcError)) return { answers: outcome, provider }
      tried.set(provider, outcome)
      if (performance.now() <= deadline) continue
      if (canNarrow) throwIfTooSlow(tried, requests)
      throw outcome
    }
  }

  return {
    chainId,
    providers,
    trusted,
    send,
    async request(method, params, options) {
      const { answers } = await send([{ method, params }], options)
      return resultOf(answers[0])
    },
  }
}

/** The provider that is ready first; in a tie the least busy, then the one configured first. */
function pick(
  candidates: readonly Provider[],
  count: number,
): { provider: Provider; waitMs: number } {
  const ranked = candidates
    .map((provider) => ({ provider, waitMs: provider.readyIn(count) }))
    .sort((a, b) => a.waitMs - b.waitMs || a.provider.inFlight - b.provider.inFlight)
  return ranked[0] as { provider: Provider; waitMs: number }
}

async function attempt(
  provider: Provider,
  requests: readonly RpcRequest[],
  { signal, timeoutMs, usable }: SendOptions & { timeoutMs: number },
): Promise<RpcAnswer[] | RpcError> {
  try {
    const answers = await provider.send(requests, { signal, timeoutMs })
    for (const answer of answers) {
      if ('error' in answer && answer.error.retryable) return answer.error
      if ('result' in answer && usable?.(answer.result) === false)
        return new RpcError('behind', 'the answer lacks the requested data')
    }
    return answers
  } catch (error) {
    if (error instanceof RpcError && error.retryable) return error
    // Nested too deeply to be read.
    if (error instanceof RangeError) return new RpcError('unreachable', error.message)
    throw error
  }
}

/** After an oversized answer, a log reader can request fewer blocks; for one block, it waits for silent providers. */
function throwIfOversized(
  tried: ReadonlyMap<Provider, RpcError>,
  requests: readonly RpcRequest[],
): void {
  const oversized = [...tried.values()].find(({ failure }) => failure === 'oversized')
  const forLogs = requests.filter(isLogRequest)
  if (!oversized || forLogs.length === 0) return
  if (haveAllAnswered(tried) || !forLogs.every(isSingleBlockRequest)) throw oversized
}

/** A node may need longer to scan many blocks than anybody waits, however often it is asked. */
function throwIfTooSlow(
  tried: ReadonlyMap<Provider, RpcError>,
  requests: readonly RpcRequest[],
): void {
  const forLogs = requests.filter(isLogRequest)
  const slow = [...tried.values()].find(({ isTimeout }) => isTimeout)
  if (slow === undefined || forLogs.length === 0 || forLogs.every(isSingleBlockRequest)) return
  throw new RpcError('refused', slow.message, { code: slow.code, cause: slow })
}

function haveAllAnswered(tried: ReadonlyMap<Provider, RpcError>): boolean {
  return [...tried.values()].every(
    ({ failure }) => failure !== 'unreachable' && failure !== 'rate-limited',
  )
}

function lastError(tried: ReadonlyMap<Provider, RpcError>): RpcError | undefined {
  return [...tried.values()].at(-1)
}

/** Names endpoints by their hosts, since a URL may hold a key. */
function timeoutError(
  chainId: number,
  candidates: readonly Provider[],
  totalTimeoutMs: number,
): RpcError {
  const chain = findChainName(chainId) ?? `chain ${chainId}`
  const failures = candidates.map(({ name, lastFailure }) =>
    lastFailure === null ? name : `${name}: ${lastFailure}`,
  )
  const words = `no provider of ${chain} answered within ${totalTimeoutMs} ms (${failures.join(', ')}): check that its nodes run, and rpcUrls`
  return new RpcError('unreachable', words)
}
