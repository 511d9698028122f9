import { hashAt, headOfOthers, isKnownToOthers, isOutvoted } from './otherProviders.ts'
import { type Provider, type RpcRequest, resultOf } from './provider.ts'
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

export type RawHead = { number: string; hash: string; parentHash?: string }

/** A provider that hasn't sent its head in this time is passed over, if there is another. */
const headTimeoutMs = 3_000

/** Blocks that one provider may be ahead of the others. */
const MOST_AHEAD = 8

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
            usable: (result) => /^0x[\da-f]+$/i.test(String((result as RawHead | null)?.number)),
          },
        )
        const head = resultOf(answers[0]) as RawHead
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

/**
 * Whether a head is old, far above the others', or on a chain that most providers contradict. Other providers may not
 * have a block at its height yet, so the vote is about the newest block that we know: a head that keeps it needs none.
 */
async function isRefused(
  { pool, memory }: ProxyState,
  provider: Provider,
  head: RawHead,
): Promise<boolean> {
  const newest = memory.newest()
  const offered = seen(head)
  const verdict = memory.judge(offered)
  if (!newest || verdict === 'lagging') return verdict === 'lagging'
  if (offered.number < newest.number)
    return (
      (await isKnownToOthers(pool, provider, newest)) || (await isOutvoted(pool, provider, offered))
    )
  if (
    offered.number > newest.number + MOST_AHEAD &&
    (await isFarAhead(pool, provider, offered.number))
  )
    return true
  const hash = await hashBelow(provider, head, newest.number)
  if (hash === newest.hash) return false
  // We can't follow a provider that doesn't show what it would replace, unless it is the only one.
  if (typeof hash !== 'string') return pool.trusted().length > 1
  return isOutvoted(pool, provider, { number: newest.number, hash })
}

/** What a provider that claims this head has at a height not above it. */
async function hashBelow(
  provider: Provider,
  { hash, parentHash, ...head }: RawHead,
  number: number,
): Promise<string | null | undefined> {
  const above = Number(head.number) - number
  if (above === 0) return hash
  return above === 1 && parentHash !== undefined ? parentHash : hashAt(provider, number)
}

/** Time for one provider: none may use up the time in which another could answer. */
function attemptMs({ pool, patienceMs }: ProxyState): number {
  return pool.trusted().length > 1 ? patienceMs / 2 : patienceMs
}

async function lookUp(state: ProxyState, request: RpcRequest): Promise<unknown> {
  const { pool, patienceMs } = state
  const forgers = new Set<Provider>()
  while (pool.trusted().some((provider) => !forgers.has(provider))) {
    const sent = await pool
      .send([request], {
        patienceMs,
        timeoutMs: attemptMs(state),
        exclude: forgers,
        usable: (result) => result !== null,
      })
      .catch((error: unknown) => {
        // "Behind" from all of them means null: nobody has it.
        if (error instanceof RpcError && error.failure === 'behind') return null
        throw error
      })
    if (sent === null) return null
    const result = resultOf(sent.answers[0])
    if (!(await isForged(state, sent.provider, request, result))) return result
    forgers.add(sent.provider)
  }
  return null
}

/**
 * Whether a block isn't the one asked for. For a block asked for by its hash, also whether most providers contradict
 * its place or its parent's: Ponder takes back blocks along the parents that it is given.
 */
async function isForged(
  { pool, memory }: ProxyState,
  provider: Provider,
  { method, params: [asked] }: RpcRequest,
  block: unknown,
): Promise<boolean> {
  const { number, hash, parentHash } = block as RawHead
  const at = Number(number)
  if (method === 'eth_getBlockByNumber') return /^0x/.test(String(asked)) && at !== Number(asked)
  if (method !== 'eth_getBlockByHash') return false
  if (hash !== String(asked).toLowerCase() || !Number.isSafeInteger(at)) return true
  const newest = memory.newest()
  if (newest && at > newest.number && (await isFarAhead(pool, provider, at))) return true
  const places = [
    { number: at, hash },
    { number: at - 1, hash: String(parentHash) },
  ]
  for (const place of places)
    if (memory.judge(place) === 'reorged' && (await isOutvoted(pool, provider, place))) return true
  return false
}

/**
 * Whether a provider has a block far above what the others have. One a little above them is usual: a Ponder with a
 * socket learns of blocks before our heads show them.
 */
async function isFarAhead(pool: RpcPool, provider: Provider, number: number): Promise<boolean> {
  if (pool.trusted().length === 1) return false
  const others = await headOfOthers(pool, provider)
  return others !== null && number > others.number + MOST_AHEAD
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
  const newest = memory.newest()
  // A block above all heads may be a false one: no head is measured by it.
  if (block?.hash && newest && Number(block.number) <= newest.number) memory.noticed(seen(block))
}

function seen({ number, hash }: RawHead): SeenBlock {
  return { number: Number(number), hash }
}
