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
  const others = pool.trusted().filter((provider) => provider !== than && !provider.resting)
  const heads = (await Promise.all(others.map(headOf))).filter((head) => head !== null)
  heads.sort((one, other) => one.number - other.number)
  return heads[Math.floor((heads.length - 1) / 2)] ?? null
}

async function headOf(provider: Provider): Promise<SeenBlock | null> {
  const request = { method: 'eth_getBlockByNumber', params: ['latest', false] }
  const [answer] = await provider.send([request], { timeoutMs: TIMEOUT_MS }).catch(() => [])
  const block = answer && 'result' in answer ? answer.result : null
  const { number, hash } = (block ?? {}) as { number?: unknown; hash?: unknown }
  if (typeof number !== 'string' || typeof hash !== 'string') return null
  return { number: Number(number), hash }
}
