import type { Provider } from './provider.ts'
import type { RpcPool } from './rpcPool.ts'
import type { SeenBlock } from './seenHeads.ts'

/** Milliseconds for the other providers to answer. */
const TIMEOUT_MS = 2_000

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
  const others = pool.trusted().filter((provider) => provider !== than)
  const said = await Promise.all(others.map((provider) => hashAt(provider, number)))
  return said.includes(hash)
}

/** A provider's block of this height; null: it has none, undefined: it doesn't answer. */
export async function hashAt(
  provider: Provider,
  number: number,
): Promise<string | null | undefined> {
  if (provider.resting) return undefined
  const params = [`0x${number.toString(16)}`, false]
  const request = { method: 'eth_getBlockByNumber', params }
  const [answer] = await provider.send([request], { timeoutMs: TIMEOUT_MS }).catch(() => [])
  if (!answer || 'error' in answer) return undefined
  if (answer.result === null) return null
  const { hash } = (answer.result ?? {}) as { hash?: unknown }
  return typeof hash === 'string' ? hash : undefined
}
