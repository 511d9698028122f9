import { headOfOthers } from './headOfOthers.ts'
import { isOutvoted } from './isOutvoted.ts'
import type { Provider, RpcRequest } from './provider.ts'
import { RpcError } from './rpcError.ts'
import type { RpcPool } from './rpcPool.ts'
import type { ObserveRpcPool } from './rpcPoolEvent.ts'
import type { SeenBlock, SeenHeads } from './seenHeads.ts'

export type ProxyState = {
  pool: RpcPool
  observe: ObserveRpcPool
  patienceMs: number
  memory: SeenHeads
  /** The head last answered, by whether it carried whole transactions. */
  heads: Map<boolean, RawHead>
  /** Since when the head has been the same, and the provider that gave it; null before the first. */
  still: { hash: string; since: number; provider: Provider } | null
  /** After this many milliseconds without a new head, other providers are asked for theirs. */
  stillMs: number
  /** Whether the last attempt found no provider. */
  down: boolean
}

type RawHead = { number: string; hash: string; parentHash?: string }

/** A provider that hasn't sent its head in this time is passed over, if there is another. */
const headTimeoutMs = 3_000

/** Questions whose answer exists once anyone has it: null from one provider isn't final. */
const lookUps = new Set([
  'eth_getBlockByHash',
  'eth_getBlockByNumber',
  'eth_getTransactionByHash',
  'eth_getTransactionReceipt',
  'eth_getBlockReceipts',
])

/**
 * The answer to one request, from any provider that can give it.
 *
 * @throws RpcError when no provider can.
 */
export async function answerRequest(state: ProxyState, request: RpcRequest): Promise<unknown> {
  const { method, params } = request
  // Known without asking: a client may start while every provider is down.
  if (method === 'eth_chainId') return `0x${state.pool.chainId.toString(16)}`
  if (method === 'net_version') return String(state.pool.chainId)
  if (method === 'eth_getBlockByNumber' && params[0] === 'latest')
    return answerHead(state, params[1] === true)
  const result = await watched(state, () =>
    lookUps.has(method) ? lookUp(state, request) : pass(state, request),
  )
  remember(state, method, result)
  return result
}

/** The newest block that any provider has: never older than the last answer, and never one that most contradict. */
async function answerHead(state: ProxyState, whole: boolean): Promise<unknown> {
  const { pool, memory, heads, patienceMs } = state
  const deadline = performance.now() + patienceMs
  const lagging = new Set<Provider>()
  await lookElsewhere(state)
  try {
    return await watched(state, async () => {
      while (true) {
        const { answers, provider } = await pool.send(
          [{ method: 'eth_getBlockByNumber', params: ['latest', whole] }],
          {
            patienceMs: Math.max(deadline - performance.now(), 0),
            timeoutMs: Math.min(attemptMs(state), headTimeoutMs),
            exclude: lagging,
            usable: (result) => result !== null,
          },
        )
        const answer = answers[0]
        if (!answer || 'error' in answer)
          throw answer?.error ?? new RpcError('unreachable', 'an empty answer')
        const head = answer.result as RawHead
        if (!(await isRefused(state, provider, head))) {
          memory.saw(seen(head))
          heads.set(whole, head)
          const { hash } = head
          if (hash !== state.still?.hash) state.still = { hash, since: performance.now(), provider }
          return head
        }
        lagging.add(provider)
        const others = pool.trusted().some((one) => !lagging.has(one) && !one.resting)
        // All providers that answer are behind what was already seen: keep the old head.
        if (!others) return heads.get(whole) ?? head
      }
    })
  } catch (error) {
    const last = heads.get(whole)
    if (!last || !(error instanceof RpcError)) throw error
    return last
  }
}

/** A provider that stands still doesn't say so: its head counts as old once the others are ahead of it. */
async function lookElsewhere({ pool, memory, still, stillMs }: ProxyState): Promise<void> {
  if (still === null || performance.now() - still.since < stillMs) return
  still.since = performance.now()
  const head = await headOfOthers(pool, still.provider)
  if (head) memory.noticed(head)
}

/** Whether a head is old, or on a chain that most providers contradict. A head that continues ours needs no vote. */
async function isRefused(
  { pool, memory }: ProxyState,
  provider: Provider,
  head: RawHead,
): Promise<boolean> {
  const newest = memory.newest()
  const verdict = memory.judge(seen(head))
  if (!newest || verdict === 'lagging') return verdict === 'lagging'
  const isOurs = head.hash === newest.hash || head.parentHash === newest.hash
  return !isOurs && (await isOutvoted(pool, provider, seen(head)))
}

/** Time for one provider: none may use up the time in which another could answer. */
function attemptMs({ pool, patienceMs }: ProxyState): number {
  return pool.trusted().length > 1 ? patienceMs / 2 : patienceMs
}

async function lookUp(state: ProxyState, { method, params }: RpcRequest): Promise<unknown> {
  const { pool, patienceMs } = state
  const { answers } = await pool
    .send([{ method, params }], {
      patienceMs,
      timeoutMs: attemptMs(state),
      usable: (result) => result !== null,
    })
    .catch((error: unknown) => {
      // "Behind" from all of them means null: nobody has it.
      if (error instanceof RpcError && error.failure === 'behind')
        return { answers: [{ result: null }] }
      throw error
    })
  const answer = answers[0]
  if (!answer || 'error' in answer)
    throw answer?.error ?? new RpcError('unreachable', 'an empty answer')
  return answer.result
}

function pass(state: ProxyState, { method, params }: RpcRequest): Promise<unknown> {
  const { pool, patienceMs } = state
  return pool.request(method, params, { patienceMs, timeoutMs: attemptMs(state) })
}

/** Reports once when no provider answers, and once when one does again. */
async function watched<T>(state: ProxyState, work: () => Promise<T>): Promise<T> {
  const { chainId } = state.pool
  try {
    const result = await work()
    if (state.down) state.observe({ type: 'providers-back', chainId })
    state.down = false
    return result
  } catch (error) {
    const gone =
      error instanceof RpcError &&
      (error.failure === 'unreachable' || error.failure === 'rate-limited')
    if (gone && !state.down) {
      state.down = true
      const last = state.memory.newest()
      if (last) state.observe({ type: 'serving-last-head', chainId, blockNumber: last.number })
      else state.observe({ type: 'all-providers-down', chainId, reason: error.message })
    }
    throw error
  }
}

function remember({ memory }: ProxyState, method: string, result: unknown): void {
  if (method !== 'eth_getBlockByHash' && method !== 'eth_getBlockByNumber') return
  const block = result as RawHead | null
  if (block?.hash && block.number) memory.noticed(seen(block))
}

function seen({ number, hash }: RawHead): SeenBlock {
  return { number: Number(number), hash }
}
