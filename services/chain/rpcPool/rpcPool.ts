import {
  isForLogs,
  isForOneBlock,
  Provider,
  pause,
  type RpcAnswer,
  type RpcRequest,
  requestTimeoutMs,
  resultOf,
} from './provider.ts'
import { rpcEndpoints } from './rpcEndpoint.ts'
import { RpcError } from './rpcError.ts'
import type { ObserveRpcPool } from './rpcPoolEvent.ts'

export type SendOptions = {
  signal?: AbortSignal | undefined
  /** How long to go on trying when no provider answers. Default: for ever (until `signal`). */
  patienceMs?: number | undefined
  /** Time limit of one exchange with one provider, and never much more than what is left of the patience. */
  timeoutMs?: number | undefined
  /** Providers not to ask. */
  exclude?: ReadonlySet<Provider> | undefined
  /** Treats an answer as unusable (e.g. null for a block that must exist) and asks another provider. */
  usable?: ((result: unknown) => boolean) | undefined
  /**
   * Go on asking while every provider says that it doesn't have the thing: for what must exist, such as a
   * final block. By default that is an answer, and its error is thrown at once.
   */
  awaitBehind?: boolean | undefined
  /** Ask each provider once: for what isn't worth waiting for. */
  once?: boolean | undefined
}

/** Of one exchange's answer. Several are read at once: together they must fit the memory. */
const mostAnswerBytes = 64 * 1024 * 1024
/** Pause between two rounds of "I don't have that". */
const behindPauseMs = 300
/** A last attempt gets this long, even if patience runs out meanwhile. */
const shortestAttemptMs = 250

export type RpcPool = {
  chainId: number
  providers: readonly Provider[]
  /** Providers that aren't quarantined, in the operator's order. */
  trusted(): Provider[]
  /**
   * Sends the requests in one exchange with one provider, moving to another provider whenever there is no
   * usable answer. Errors that another provider would repeat are returned in place.
   *
   * @throws RpcError when patience runs out, or when every provider is quarantined or excluded.
   */
  send(
    requests: readonly RpcRequest[],
    options?: SendOptions,
  ): Promise<{ answers: RpcAnswer[]; provider: Provider }>
  /** One request; throws its error. */
  request(method: string, params: readonly unknown[], options?: SendOptions): Promise<unknown>
}

/** Failover over the RPC URLs of one chain. Sequential use stays with the first healthy URL; parallel use spreads. */
export function createRpcPool({
  observe = () => {},
  mostBytes = mostAnswerBytes,
  ...chain
}: {
  chainId: number
  rpcUrls: readonly string[]
  requestsPerSecond?: Readonly<Record<string, number>> | undefined
  observe?: ObserveRpcPool
  /** Of one exchange's answer: reading ends there (`oversized`). Default: 64 MB. */
  mostBytes?: number | undefined
}): RpcPool {
  const { chainId } = chain
  const providers = rpcEndpoints(chain).map(
    (endpoint) => new Provider(endpoint, chainId, observe, mostBytes),
  )
  const trusted = () => providers.filter((provider) => !provider.quarantine)

  async function send(requests: readonly RpcRequest[], options: SendOptions = {}) {
    const { signal, patienceMs = Number.POSITIVE_INFINITY, exclude } = options
    const deadline = performance.now() + patienceMs
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
        const said = [...tried.values()].map(({ failure }) => failure)
        const answered = said.every((one) => one !== 'unreachable' && one !== 'rate-limited')
        // The reader of logs then asks for fewer blocks instead of repeating itself. If it asked for a single block,
        // it waits for the providers that haven't answered.
        const tooMuch = [...tried.values()].find(({ failure }) => failure === 'oversized')
        const forLogs = requests.filter(isForLogs)
        if (tooMuch && forLogs.length > 0 && (answered || !forLogs.every(isForOneBlock)))
          throw tooMuch
        if (answered && !(options.awaitBehind && said.includes('behind'))) throw lastError(tried)
        if (answered) await pause(behindPauseMs, signal)
        if (performance.now() > deadline) throw lastError(tried)
        tried.clear()
      }
      const { provider, waitMs } = pick(round, requests.length)
      if (performance.now() + waitMs > deadline) throw lastError(tried) ?? tooLate(patienceMs)
      await pause(waitMs, signal)
      const leftMs = Math.max(Math.ceil(deadline - performance.now()), shortestAttemptMs)
      const outcome = await attempt(provider, requests, {
        ...options,
        timeoutMs: Math.min(options.timeoutMs ?? requestTimeoutMs, leftMs),
      })
      if (!(outcome instanceof RpcError)) return { answers: outcome, provider }
      if (performance.now() > deadline) throw outcome
      tried.set(provider, outcome)
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

/** The provider that can go first; among those that can go now, the least busy, then the operator's order. */
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
        return new RpcError('behind', 'the answer lacks what was asked for')
    }
    return answers
  } catch (error) {
    if (error instanceof RpcError && error.retryable) return error
    throw error
  }
}

function lastError(tried: ReadonlyMap<Provider, RpcError>): RpcError | undefined {
  return [...tried.values()].at(-1)
}

function tooLate(patienceMs: number): RpcError {
  return new RpcError('unreachable', `no provider answered within ${patienceMs} ms`)
}
