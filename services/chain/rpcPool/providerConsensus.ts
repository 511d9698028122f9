import type { Provider } from './provider.ts'
import type { RpcPool } from './rpcPool.ts'
import type { SeenBlock } from './seenHeads.ts'

/** Milliseconds. */
const TIMEOUT_MS = 2_000

/**
 * The head that at least half of the other providers have reached; null if none answers. With three or more providers,
 * a single one can't invent new blocks.
 */
export async function findMedianHeadOfOthers(
  pool: RpcPool,
  excluded: Provider,
): Promise<SeenBlock | null> {
  const answers = await Promise.all(
    others(pool, excluded).map((provider) => blockAt(provider, 'latest')),
  )
  const heads = answers.filter((head) => head != null)
  heads.sort((one, other) => one.number - other.number)
  return heads[Math.floor((heads.length - 1) / 2)] ?? null
}

/**
 * Whether most providers contradict a claimant's block at some height. Providers without a block there, or without an
 * answer, have no vote. A tie counts as outvoted while some provider has yet to reach that height; otherwise the provider
 * configured first decides.
 */
export async function isOutvoted(
  pool: RpcPool,
  claimant: Provider,
  { number, hash }: SeenBlock,
): Promise<boolean> {
  const answers = await Promise.all(
    pool
      .trusted()
      .map((provider) => (provider === claimant ? hash : fetchHashAt(provider, number))),
  )
  const hashes = answers.filter((answer) => typeof answer === 'string')
  const votes = (candidate: string) => hashes.filter((vote) => vote === candidate).length
  const most = Math.max(...hashes.map(votes))
  const winners = hashes.filter((vote) => votes(vote) === most)
  const isTie = winners.some((winner) => winner !== winners[0])
  return isTie && answers.includes(null) ? true : winners[0] !== hash
}

/** Whether any other provider has this block at this height. */
export async function isKnownToOthers(
  pool: RpcPool,
  excluded: Provider,
  { number, hash }: SeenBlock,
): Promise<boolean> {
  const hashes = await Promise.all(
    others(pool, excluded).map((provider) => fetchHashAt(provider, number)),
  )
  return hashes.includes(hash)
}

/** A provider's block hash at this height; null if it has no such block, undefined if it doesn't answer. */
export async function fetchHashAt(
  provider: Provider,
  number: number,
): Promise<string | null | undefined> {
  const block = await blockAt(provider, number)
  return block === null ? null : block?.hash
}

function others(pool: RpcPool, excluded: Provider): Provider[] {
  return pool.trusted().filter((provider) => provider !== excluded)
}

async function blockAt(
  provider: Provider,
  at: number | 'latest',
): Promise<SeenBlock | null | undefined> {
  if (provider.isBackingOff) return undefined
  // viem's `numberToHex` would throw: a provider may claim a number above the safe integers.
  const params = [at === 'latest' ? at : `0x${at.toString(16)}`, false]
  const request = { method: 'eth_getBlockByNumber', params }
  const [answer] = await provider.send([request], { timeoutMs: TIMEOUT_MS }).catch(() => [])
  if (!answer || 'error' in answer) return undefined
  if (answer.result === null) return null
  const { number, hash } = (answer.result ?? {}) as { number?: unknown; hash?: unknown }
  const isBlock = typeof number === 'string' && typeof hash === 'string'
  return isBlock ? { number: Number(number), hash } : undefined
}
