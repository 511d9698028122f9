import { answerBlockLogs } from './answerBlockLogs.ts'
import { isUnproven, isUnprovenByHalf } from './isUnproven.ts'
import { isWritable } from './isWritable.ts'
import { type Provider, type RpcRequest, resultOf } from './provider.ts'
import {
  fetchHashAt,
  findMedianHeadOfOthers,
  isKnownToOthers,
  isOutvoted,
} from './providerConsensus.ts'
import { RpcError } from './rpcError.ts'
import type { RpcPool } from './rpcPool.ts'
import type { ObserveRpcPool } from './rpcPoolEvent.ts'
import type { SeenBlock, SeenHeads } from './seenHeads.ts'

export type ProxyState = {
  pool: RpcPool
  /** The contracts whose logs are compared between providers, in lower case. */
  contracts: ReadonlySet<string>
  observe: ObserveRpcPool
  totalTimeoutMs: number
  seenHeads: SeenHeads
  /** The head last served, by whether it included full transactions. */
  servedHeads: Map<boolean, RawHead>
  /** The requests for the head under way, by the same. */
  headRequests: Map<boolean, Promise<RawHead>>
  /** Since when the head is unchanged, and the provider that reported it; null before the first. */
  currentHead: { hash: string; since: number; provider: Provider } | null
  /** Milliseconds without a new head after which other providers are asked for theirs. */
  stallMs: number
  /** Whether no provider answered the last attempt. */
  isDown: boolean
}

export type RawHead = { number: string; hash: string; parentHash?: string }

/** Time limit for one provider's head if there is another provider. */
const HEAD_TIMEOUT_MS = 3_000

/** Blocks that one provider may be ahead of the others. */
const MAX_LEAD = 8

/** Methods whose result exists once any provider has it, so one provider's null isn't final. */
const LOOKUPS = new Set([
  'eth_getBlockByHash',
  'eth_getBlockByNumber',
  'eth_getTransactionByHash',
  'eth_getTransactionReceipt',
  'eth_getBlockReceipts',
])

/**
 * Answers one request from any provider that can.
 *
 * @throws RpcError when none can
 */
export async function answerProxyRequest(state: ProxyState, request: RpcRequest): Promise<unknown> {
  const { method, params } = request
  // Answered without a provider, so that a client can start while every provider is down.
  if (method === 'eth_chainId') return `0x${state.pool.chainId.toString(16)}`
  if (method === 'net_version') return String(state.pool.chainId)
  if (method === 'eth_getBlockByNumber' && params[0] === 'latest')
    return answerHead(state, params[1] === true)
  const result = await reportingOutages(state, () => {
    if (LOOKUPS.has(method)) return lookUp(state, request)
    const { blockHash } = Object(params[0]) as { blockHash?: unknown }
    return method === 'eth_getLogs' && typeof blockHash === 'string'
      ? readBlockLogs(state, blockHash.toLowerCase())
      : forward(state, request)
  })
  recordBlock(state, method, result)
  return result
}

/**
 * The newest block of any provider: never older than the last one served, and never one that most providers contradict.
 */
function answerHead(state: ProxyState, isFull: boolean): Promise<RawHead> {
  const { headRequests } = state
  // Shared: while Ponder polls a slow node, an older head, checked for longer, would come after a newer one. Ponder would
  // take it for a reorg, and revert blocks.
  const underWay = headRequests.get(isFull)
  if (underWay) return underWay
  const request = findHead(state, isFull).finally(() => headRequests.delete(isFull))
  headRequests.set(isFull, request)
  return request
}

async function findHead(state: ProxyState, isFull: boolean): Promise<RawHead> {
  const { servedHeads } = state
  await checkForStall(state)
  try {
    return await reportingOutages(state, () => requestHead(state, isFull))
  } catch (error) {
    const last = servedHeads.get(isFull)
    if (!last || !(error instanceof RpcError)) throw error
    return last
  }
}

async function requestHead(state: ProxyState, isFull: boolean): Promise<RawHead> {
  const { pool, seenHeads, servedHeads, totalTimeoutMs } = state
  const deadline = performance.now() + totalTimeoutMs
  const rejected = new Set<Provider>()
  const unproven = new Map<Provider, RawHead>()
  const serve = (provider: Provider, head: RawHead) => {
    const { hash } = head
    seenHeads.recordHead(blockOf(head))
    servedHeads.set(isFull, head)
    if (hash !== state.currentHead?.hash)
      state.currentHead = { hash, since: performance.now(), provider }
    return head
  }
  const request = { method: 'eth_getBlockByNumber', params: ['latest', isFull] }
  while (true) {
    const { answers, provider } = await pool.send([request], {
      totalTimeoutMs: Math.max(deadline - performance.now(), 0),
      timeoutMs: Math.min(attemptMs(state), HEAD_TIMEOUT_MS),
      exclude: rejected,
      usable: (result) =>
        /^0x[\da-f]+$/i.test(String((result as RawHead | null)?.number)) && isWritable(result),
    })
    const head = resultOf(answers[0]) as RawHead
    if (isUnproven(pool, head)) unproven.set(provider, head)
    else if (!(await isRejected(state, provider, head))) return serve(provider, head)
    rejected.add(provider)
    const hasOthers = pool.trusted().some((other) => !rejected.has(other) && !other.isBackingOff)
    if (hasOthers) continue
    if (isUnprovenByHalf(pool, unproven.size))
      for (const [provider, head] of unproven)
        if (!(await isRejected(state, provider, head))) return serve(provider, head)
    return servedHeads.get(isFull) ?? head
  }
}

/** After a long time without a new head, asks the other providers: once they are ahead, the old head counts as lagging. */
async function checkForStall({ pool, seenHeads, currentHead, stallMs }: ProxyState): Promise<void> {
  if (currentHead === null || performance.now() - currentHead.since < stallMs) return
  currentHead.since = performance.now()
  const head = await findMedianHeadOfOthers(pool, currentHead.provider)
  if (head) seenHeads.recordBlock(head)
}

/**
 * Whether a head is old, far above the others', or on a chain that most providers contradict. Other providers may not have
 * reached its height, so the vote is about the newest block known: a head that descends from it needs no vote.
 */
async function isRejected(state: ProxyState, provider: Provider, head: RawHead): Promise<boolean> {
  const { pool, seenHeads } = state
  const newest = seenHeads.newest()
  const block = blockOf(head)
  const verdict = seenHeads.classify(block)
  if (!newest || verdict === 'lagging') return verdict === 'lagging'
  if (block.number < newest.number)
    return (
      (await isKnownToOthers(pool, provider, newest)) || (await isOutvoted(pool, provider, block))
    )
  if (block.number > newest.number + MAX_LEAD && (await isFarAhead(pool, provider, block.number)))
    return true
  const hash = await hashBelow(provider, head, newest.number)
  if (hash === newest.hash) return false
  // It doesn't show the block that would replace the newest: believe it only if there is no other provider.
  if (typeof hash !== 'string') return pool.trusted().length > 1
  return isOutvoted(pool, provider, { number: newest.number, hash })
}

/** The hash that a provider with this head has at a height not above it. */
async function hashBelow(
  provider: Provider,
  { hash, parentHash, ...head }: RawHead,
  number: number,
): Promise<string | null | undefined> {
  const above = Number(head.number) - number
  if (above === 0) return hash
  return above === 1 && parentHash !== undefined ? parentHash : fetchHashAt(provider, number)
}

/** Time for one provider, so that none uses up the time in which another could answer. */
function attemptMs({ pool, totalTimeoutMs }: ProxyState): number {
  return pool.trusted().length > 1 ? totalTimeoutMs / 2 : totalTimeoutMs
}

async function lookUp(state: ProxyState, request: RpcRequest): Promise<unknown> {
  const { pool, totalTimeoutMs } = state
  const forgers = new Set<Provider>()
  const unproven: unknown[] = []
  while (pool.trusted().some((provider) => !forgers.has(provider))) {
    const sent = await pool
      .send([request], {
        totalTimeoutMs,
        timeoutMs: attemptMs(state),
        exclude: forgers,
        usable: (result) => result !== null && isWritable(result),
      })
      .catch((error: unknown) => {
        // All providers are behind: none has it, so the answer is null.
        const isBehind = error instanceof RpcError && error.failure === 'behind'
        if (isBehind || isUnprovenByHalf(pool, unproven.length)) return null
        throw error
      })
    if (sent === null) break
    const result = resultOf(sent.answers[0])
    if (!(await isForged(state, sent.provider, request, result))) {
      if (!request.method.startsWith('eth_getBlockBy') || !isUnproven(pool, result)) return result
      unproven.push(result)
    }
    forgers.add(sent.provider)
  }
  return isUnprovenByHalf(pool, unproven.length) ? unproven[0] : null
}

/**
 * Whether a block isn't the requested one. For a block requested by hash, also whether most providers contradict its
 * height or its parent's: Ponder reverts blocks along the parents it receives.
 */
async function isForged(
  state: ProxyState,
  provider: Provider,
  { method, params: [requested] }: RpcRequest,
  block: unknown,
): Promise<boolean> {
  const { pool, seenHeads } = state
  const { number, hash, parentHash } = block as RawHead
  const height = Number(number)
  if (method === 'eth_getBlockByNumber')
    return /^0x/.test(String(requested)) && height !== Number(requested)
  if (method !== 'eth_getBlockByHash') return false
  if (hash !== String(requested).toLowerCase() || !Number.isSafeInteger(height)) return true
  const newest = seenHeads.newest()
  if (newest && height > newest.number && (await isFarAhead(pool, provider, height))) return true
  const claims = [
    { number: height, hash },
    { number: height - 1, hash: String(parentHash) },
  ]
  for (const claim of claims) {
    if (seenHeads.classify(claim) === 'reorged' && (await isOutvoted(pool, provider, claim)))
      return true
  }
  return false
}

/**
 * Whether a provider's block is far above the other providers' heads. A small lead is normal: with a socket, Ponder learns
 * of blocks before the heads here show them.
 */
async function isFarAhead(pool: RpcPool, provider: Provider, number: number): Promise<boolean> {
  if (pool.trusted().length === 1) return false
  const others = await findMedianHeadOfOthers(pool, provider)
  return others !== null && number > others.number + MAX_LEAD
}

function readBlockLogs(state: ProxyState, hash: string): Promise<unknown> {
  const { pool, contracts, totalTimeoutMs } = state
  return answerBlockLogs(pool, hash, { contracts, totalTimeoutMs, timeoutMs: attemptMs(state) })
}

function forward(state: ProxyState, { method, params }: RpcRequest): Promise<unknown> {
  const { pool, totalTimeoutMs } = state
  const timeoutMs = attemptMs(state)
  return pool.request(method, params, { totalTimeoutMs, timeoutMs, usable: isWritable })
}

/** Reports when providers stop answering, and when one answers again. */
async function reportingOutages<T>(state: ProxyState, work: () => Promise<T>): Promise<T> {
  const { chainId } = state.pool
  try {
    const result = await work()
    if (state.isDown) state.observe({ type: 'providers-back', chainId })
    state.isDown = false
    return result
  } catch (error) {
    const isOutage =
      error instanceof RpcError &&
      (error.failure === 'unreachable' || error.failure === 'rate-limited')
    if (isOutage && !state.isDown) {
      state.isDown = true
      const last = state.seenHeads.newest()
      if (last) state.observe({ type: 'serving-last-head', chainId, blockNumber: last.number })
      else state.observe({ type: 'all-providers-down', chainId, reason: error.message })
    }
    throw error
  }
}

function recordBlock({ seenHeads }: ProxyState, method: string, result: unknown): void {
  if (method !== 'eth_getBlockByHash' && method !== 'eth_getBlockByNumber') return
  const block = result as RawHead | null
  const newest = seenHeads.newest()
  // A block above all heads may be false, and heads must not be judged by it.
  if (block?.hash && newest && Number(block.number) <= newest.number)
    seenHeads.recordBlock(blockOf(block))
}

function blockOf({ number, hash }: RawHead): SeenBlock {
  return { number: Number(number), hash }
}
