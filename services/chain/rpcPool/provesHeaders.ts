import { crossCheckBlock } from './crossCheckBlock.ts'
import { pause } from './provider.ts'
import type { RpcPool } from './rpcPool.ts'

/** Pools that gave a header which hashes to its block. That is a property of their chain, so it stays. */
const proven = new WeakSet<RpcPool>()

/** Milliseconds between two questions to a provider that was silent, at least. */
const AGAIN_MS = 250

/**
 * Cross-checks a block, and returns whether the chain's headers hash to its blocks' hashes, so that a false one shows.
 *
 * A header that proves nothing may be a false one: then those who didn't answer are asked again, up to `patienceMs`.
 */
export async function provesHeaders(
  pool: RpcPool,
  blockNumber: number,
  { signal, patienceMs }: { signal?: AbortSignal | undefined; patienceMs: number },
): Promise<boolean> {
  const deadline = performance.now() + patienceMs
  while (true) {
    const { isProven, silent } = await crossCheckBlock(pool, blockNumber, { signal })
    if (isProven) proven.add(pool)
    const awaited = silent.filter(({ quarantine }) => quarantine === undefined)
    if (proven.has(pool) || awaited.length === 0) return proven.has(pool)
    const readyIn = Math.min(...awaited.map((provider) => provider.readyIn(1)))
    const waitMs = Math.max(AGAIN_MS, readyIn)
    if (performance.now() + waitMs > deadline) return false
    await pause(waitMs, signal)
  }
}
