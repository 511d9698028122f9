import type { Provider } from './provider.ts'
import type { RpcPool } from './rpcPool.ts'
import type { SeenBlock } from './seenHeads.ts'

/** Milliseconds for the other providers to answer. */
const TIMEOUT_MS = 2_000

/**
 * Whether most providers have a different block at this height than one of them claims. In a tie, the provider that
 * the operator named first decides. Providers that have no block there, or don't answer, have no vote.
 */
export async function isOutvoted(
  pool: RpcPool,
  claimant: Provider,
  { number, hash }: SeenBlock,
): Promise<boolean> {
  const said = await Promise.all(
    pool.trusted().map((provider) => (provider === claimant ? hash : hashAt(provider, number))),
  )
  const hashes = said.filter((one) => one !== null)
  const votes = (of: string) => hashes.filter((one) => one === of).length
  const winner = hashes.reduce((best, one) => (votes(one) > votes(best) ? one : best), hashes[0]!)
  return winner !== hash
}

async function hashAt(provider: Provider, number: number): Promise<string | null> {
  if (provider.resting) return null
  const params = [`0x${number.toString(16)}`, false]
  const request = { method: 'eth_getBlockByNumber', params }
  const answers = await provider.send([request], { timeoutMs: TIMEOUT_MS }).catch(() => [])
  const [answer] = answers
  const block = answer && 'result' in answer ? answer.result : null
  const { hash } = (block ?? {}) as { hash?: unknown }
  return typeof hash === 'string' ? hash : null
}
