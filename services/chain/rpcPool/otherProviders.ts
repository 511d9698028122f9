import type { Provider } from './provider.ts'
import type { RpcPool } from './rpcPool.ts'
import type { SeenBlock } from './seenHeads.ts'

/** Milliseconds for the other providers to answer. */
const TIMEOUT_MS = 2_000

/**
 * The head that at least half of the other providers have reached; null if none answers. So one provider of three or
 * more can't pretend that the chain goes on.
 */
export async function headOfOthers(pool: RpcPool, than: Provider): Promise<SeenBlock | null> {
  const said = await Promise.all(others(pool, than).map((provider) => blockAt(provider, 'latest')))
  const heads = said.filter((head) => head != null)
  heads.sort((one, other) => one.number - other.number)
  return heads[Math.floor((heads.length - 1) / 2)] ?? null
}

/**
 * Whether most providers have a different block at this height than one of them claims. Providers that have no block
 * there, or don't answer, have no vote. In a tie, those that have none there yet decide later; if there are none, the
 * provider that the operator named first decides.
 */
export async function isOutvoted(
  pool: RpcPool,
  claimant: Provider,
  { number, hash }: SeenBlock,
): Promise<boolean> {
  const said = await Promise.all(
    pool.trusted().map((provider) => (provider === claimant ? hash : hashAt(provider, number))),
  )
  const hashes = said.filter((one) => typeof one === 'string')
  const votes = (of: string) => hashes.filter((one) => one === of).length
  const most = Math.max(...hashes.map(votes))
  const winners = hashes.filter((one) => votes(one) === most)
  const isTie = winners.some((one) => one !== winners[0])
  return isTie && said.includes(null) ? true : winners[0] !== hash
}

/** Whether any other provider has this block where it says it is. */
export async function isKnownToOthers(
  pool: RpcPool,
  than: Provider,
  { number, hash }: SeenBlock,
): Promise<boolean> {
  const said = await Promise.all(others(pool, than).map((provider) => hashAt(provider, number)))
  return said.includes(hash)
}

/** A provider's block of this height; null: it has none, undefined: it doesn't answer. */
export async function hashAt(
  provider: Provider,
  number: number,
): Promise<string | null | undefined> {
  const block = await blockAt(provider, number)
  return block === null ? null : block?.hash
}

function others(pool: RpcPool, than: Provider): Provider[] {
  return pool.trusted().filter((provider) => provider !== than)
}

async function blockAt(
  provider: Provider,
  at: number | 'latest',
): Promise<SeenBlock | null | undefined> {
  if (provider.resting) return undefined
  // Not viem's `numberToHex`, which throws: a provider may claim a number beyond all that are safe.
  const params = [at === 'latest' ? at : `0x${at.toString(16)}`, false]
  const request = { method: 'eth_getBlockByNumber', params }
  const [answer] = await provider.send([request], { timeoutMs: TIMEOUT_MS }).catch(() => [])
  if (!answer || 'error' in answer) return undefined
  if (answer.result === null) return null
  const { number, hash } = (answer.result ?? {}) as { number?: unknown; hash?: unknown }
  const isBlock = typeof number === 'string' && typeof hash === 'string'
  return isBlock ? { number: Number(number), hash } : undefined
}
